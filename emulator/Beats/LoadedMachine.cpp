#include "emulator/Beats/LoadedMachine.h"

#include "emulator/Defects/ApplyDefects.h"
#include "emulator/Defects/CheckDefects.h"
#include "emulator/Execute/Vectors.h"
#include "emulator/Host/Kernels.h"
#include "isa/Program/Verify.h"

#include <algorithm>

namespace tilerig::emulator {

Result<std::unique_ptr<LoadedMachine>>
LoadedMachine::load(Program program, Defects defects, const Observation &observation, Framework *framework) {
  TILERIG_CHECK_OK(chooseVectors());
  TILERIG_CHECK_OK(verifyProgram(program));
  TILERIG_CHECK_OK(checkDefects(defects, program));
  std::unique_ptr<LoadedMachine> machine(new LoadedMachine);
  machine->program = std::move(program);
  if (!defects.empty())
    machine->original = machine->program;
  machine->defects = std::move(defects);
  machine->framework = framework;
  TILERIG_CHECK_OK(machine->prepare(observation));
  return machine;
}

Status LoadedMachine::prepare(const Observation &observation) {
  TILERIG_CHECK_OK(checkHostKernels(program, framework));
  misroute(defects, program);
  copyFlippedConstants();
  TILERIG_TRY(memories, Memories::of(program));
  TILERIG_TRY(capturePoints, CapturePoints::of(program, observation, memories));
  TILERIG_TRY(replacements, replacementsOf(program, observation, capturePoints));
  return success();
}

// Copies the constants in which a defect flips bits into memory of their own; all other constants stay in the mapped file.
void LoadedMachine::copyFlippedConstants() {
  for (const FlippedBit &flip : defects.flippedBits)
    for (size_t i = 0; i < program.constants.size(); ++i) {
      ConstantData &constant = program.constants[i];
      const bool isHit = flip.inDdr && flip.address >= constant.address &&
                         flip.address - constant.address < constant.bytes.size();
      if (!isHit || std::ranges::find(intact, i, &std::pair<size_t, ConstantData>::first) != intact.end())
        continue;
      intact.emplace_back(i, constant);
      auto bytes = std::make_shared<std::vector<std::byte>>(constant.bytes.begin(), constant.bytes.end());
      constant.bytes = *bytes;
      constant.owner = std::move(bytes);
    }
}

void LoadedMachine::reset() {
  for (const auto &[index, original] : intact)
    std::ranges::copy(original.bytes, const_cast<std::byte *>(program.constants[index].bytes.data()));
  memories.clear();
}

} // namespace tilerig::emulator
