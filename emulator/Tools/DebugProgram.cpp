#include "emulator/Tools/DebugProgram.h"

#include "emulator/Tools/RunInputs.h"
#include "emulator/Tools/RunMemory.h"
#include "isa/Base/Tensor/MemoryLimit.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/Reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

Result<std::unique_ptr<Debugger>> loadDebugger(const DebugArguments &arguments, Framework &framework,
                                               std::function<bool()> isInterrupted) {
  TILERIG_TRY(Program program, readProgram(arguments.program));
  TILERIG_CHECK_OK(checkRunMemory(
      program, {.program = arguments.program, .captured = {}, .limitBytes = usualMemoryLimit(0)}));
  TILERIG_TRY(TensorMap inputs, arguments.inputs.empty() ? seededInputs(program, arguments.seed)
                                                         : readInputs(program, arguments.inputs));
  TILERIG_TRY(Defects defects, readDefects(arguments.faults, program, true));
  DebuggerOptions options{
      .run = {.jitter = arguments.jitter, .onFault = arguments.faults.onFault, .everyBeat = arguments.rows},
      .isInterrupted = std::move(isInterrupted)};
  if (arguments.history)
    options.historyBytes = arguments.history;
  return Debugger::load(std::move(program), std::move(defects), std::move(inputs), options, &framework);
}

// Reads the expected tensors. Returns a line that says how many of the program's tensors are compared.
Result<std::string> readExpected(const DebugArguments &arguments, Debugger &debugger) {
  const auto isKept = [&](const std::string &name) {
    const auto &tensors = debugger.program().metadata.tensors();
    const auto at = std::ranges::find(tensors, name, &proto::Tensor::name);
    return at != tensors.end() && at->role() != proto::INPUT && at->pieces_size() > 0;
  };
  TILERIG_TRY(const TensorMap tensors,
              readTensors(arguments.expected,
                          [&](const TensorHead &head) -> Result<bool> { return isKept(head.name); }));
  TILERIG_TRY(const size_t count, debugger.expect(tensors));
  const auto all = std::ranges::count_if(debugger.program().metadata.tensors(),
                                         [&](const proto::Tensor &tensor) { return isKept(tensor.name()); });
  if (count == 0)
    return invalidInput(arguments.expected,
                        "none of these tensors is one that the program computes and keeps",
                        "the names are those of the ONNX values; 'tilerig debug' lists them with the command "
                        "'tensors'");
  return fmt::format("{} of {} tensors are compared with {}", count, all, arguments.expected);
}

} // namespace tilerig::emulator
