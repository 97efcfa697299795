// A machine with a program loaded, to be run by beats: its memories, the defects that are simulated, and where tensors are
// captured and replaced.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Host/Framework.h"
#include "emulator/Observe/CapturePoints.h"
#include "emulator/Observe/Observation.h"
#include "emulator/Observe/Replace.h"

namespace tilerig::emulator {

class LoadedMachine {
public:
  // The program need not be proved free of races, but every instruction must be legal; the program reader checks that.
  // `framework` runs framework stages and must outlive the machine; without it such programs are refused.
  static Result<std::unique_ptr<LoadedMachine>> load(Program program, Defects defects,
                                                     const Observation &observation, Framework *framework);

  // Puts the memories into the state after the program was loaded, in which only constants are initialised.
  void reset();

  // The program that is run. It equals the loaded program, but transfers that a simulated defect misroutes go to wrong
  // tiles.
  Program program;
  // The loaded program itself, where it differs from `program` because of defects.
  const Program &loadedProgram() const { return original ? *original : program; }
  Defects defects;
  Framework *framework = nullptr;
  Memories memories;
  CapturePoints capturePoints;
  std::vector<Replacement> replacements;

private:
  LoadedMachine() = default;
  Status prepare(const Observation &observation);
  void copyFlippedConstants();

  std::optional<Program> original;
  // Constants in which bits get flipped: their index in the program and their original contents.
  std::vector<std::pair<size_t, ConstantData>> intact;
};

} // namespace tilerig::emulator
