// A session: a program loaded into emulated memories with its prepared operations and worker threads, to be
// run any number of times in fast mode (no clock).
//
// Loading does all work that does not depend on inputs: it checks that the program is proved free of races,
// resolves operands to host addresses, packs weights, and builds the dependency graph of the operations. A
// run puts the inputs into DDR, runs the stages, and takes the outputs out. Initial stages run only before
// the first inference, finishing stages only when the session is finished.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Host/Framework.h"
#include "emulator/Host/Time.h"
#include "emulator/Observe/Observation.h"
#include "emulator/Traps/Fault.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <memory>

namespace tilerig::emulator {

// Options for how a session runs its program.
struct SessionOptions {
  unsigned threads = 0; // number of worker threads; 0: as many as the host has
  // For tests: execute every copy and read every operand where the program says, which is slower.
  bool literal = false;
  Observation observation = {};
  // hardware defects of kinds that need no clock; with any of them, copies are never eliminated
  Defects defects = {};
  // Interpreter that runs framework stages; must outlive the session. If null, programs with such stages are
  // refused.
  Framework *framework = nullptr;
};

// A program with its emulated memories, prepared operations and worker threads.
class Session {
public:
  // Loads a program. Returns an error if the program has no valid proof that it is free of races.
  static Result<std::unique_ptr<Session>> load(Program program, const SessionOptions &options);
  // The same for a program that others use, too.
  static Result<std::unique_ptr<Session>> load(std::shared_ptr<const Program> program,
                                               const SessionOptions &options);
  ~Session();

  // Runs one inference and returns the outputs by name. Exactly the program's inputs must be given.
  Result<TensorMap> run(const TensorMap &inputs);
  // The fault that ended the last run, if one did; in fast mode only data values can cause a fault.
  const std::optional<Fault> &fault() const;
  // Runs the finishing stages, once, after the last inference.
  Status finish();

  // For each host stage: the number of arithmetic operations that the host computed in the last run, if that
  // number depends on data values.
  const HostOperations &hostOperations() const;

  // Tensors captured by the last run, with elements as they are stored. The next run overwrites their bytes
  // in place. This also changes copies of the map, because copies of a tensor share its bytes.
  const TensorMap &captured() const;
  // The captured tensors. Those that `which` selects are converted to the model's types: quantised elements
  // are dequantised.
  Result<TensorMap> capturedAsModel(InModelTypes which = InModelTypes::all) const;
  // With `captureAll`: names of the tensors that were not captured because the program stores only some of
  // their elements.
  const std::vector<std::string> &notCaptured() const;

  // Number of 32-bit accumulators that wrapped around, over all runs so far.
  uint64_t overflows() const;
  // The program that was loaded.
  const Program &program() const;
  // The number of worker threads.
  unsigned threads() const;

private:
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace tilerig::emulator
