// A loaded program that runs as often as asked: the memories, the prepared works, the threads.
//
// Loading does what does not depend on inputs: it checks the proof, decodes operands into places, packs
// weights, and finds out which works depend on which. A run puts the inputs into DDR, runs the stages, and
// takes the outputs. The initial stages run with the first one only, the finishing ones when the session is
// finished.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Execute/Prepare.h"
#include "emulator/Fast/SyncGraph.h"
#include "emulator/Fast/Workers.h"
#include "emulator/Host/Time.h"
#include "emulator/Observe/Observation.h"
#include "emulator/Traps/Fault.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

struct SessionOptions {
  unsigned threads = 0; // as many as the host has
  bool literal = false; // every copy is made and every operand read where the program says: slower, for tests
  Observation observation = {};
  Defects defects = {}; // those that are not tied to a time; then every copy is made, too
};

class Session {
public:
  // Refuses a program without a proof that holds.
  static Result<std::unique_ptr<Session>> load(Program program, const SessionOptions &options);
  ~Session();

  // Outputs by name. All inputs must be given, and nothing else.
  Result<TensorMap> run(const TensorMap &inputs);
  // What ended the last run, if values did.
  const std::optional<Fault> &fault() const;
  // Runs the finishing stages, once, after the last inference.
  Status finish();

  // By stage, the operations of the last run on the host where they depend on values.
  const HostOperations &hostOperations() const;

  // What was to be captured, as the last run left it, elements as they are stored. The next run writes over
  // the bytes of these tensors, and of their copies.
  const TensorMap &captured() const;
  // The same in the model's types: quantised elements are dequantised.
  Result<TensorMap> capturedAsModel() const;
  // Of all tensors, if all were to be captured, those that the program does not keep whole.
  const std::vector<std::string> &notCaptured() const;

  // Accumulators that wrapped, in all runs so far.
  uint64_t overflows() const;
  const Program &program() const;
  unsigned threads() const;

private:
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace tilerig
