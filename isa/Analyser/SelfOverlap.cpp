#include "isa/Analyser/SelfOverlap.h"

#include "isa/Instructions/Streams.h"

#include <fmt/format.h>

namespace tilerig {

namespace {

bool sameElements(const Stream &operand, const Stream &output) {
  return operand.base == output.base && sizeBytes(operand.type) == sizeBytes(output.type) &&
         operand.dims == output.dims;
}

// Whether the output may overwrite the named operand in place, because the instruction reads each element
// before it writes the element of the same index, or, for softmax, each row before it writes the row.
template <class T>
bool mayReplace(const T &, std::string_view) {
  return false;
}
template <class T>
requires(T::family == Family::elementwise) bool mayReplace(const T &instruction, std::string_view operand) {
  bool replaces = false;
  forEachStream(instruction, [&](std::string_view name, const Stream &stream) {
    replaces |= name == operand && sameElements(stream, instruction.output);
  });
  return replaces;
}
bool mayReplace(const Softmax &softmax, std::string_view operand) {
  return operand == "input" && sameElements(softmax.input, softmax.output);
}
template <ProductInstruction T>
bool mayReplace(const T &product, std::string_view operand) {
  const Epilogue &epilogue = product.epilogue;
  return (operand == "epilogue.accumulate_from" && sameElements(epilogue.accumulateFrom, product.output)) ||
         (operand == "epilogue.addend" && sameElements(epilogue.addend, product.output));
}

} // namespace

void checkSelfOverlap(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
                      const AccessList &accesses, Report &report) {
  for (const Access &written : accesses) {
    if (written.kind != AccessKind::write)
      continue;
    for (const Access &read : accesses) {
      if (read.kind != AccessKind::read || read.memory != written.memory ||
          !overlap(read.region, written.region))
        continue;
      const auto &code = std::get<DeviceStage>(program.stages[stage].work).tiles[tile];
      if (std::visit([&](const auto &typed) { return mayReplace(typed, read.operand); }, code[instruction]))
        continue;
      report.add({.kind = ProblemKind::selfOverlap,
                  .places = {placeOf(program, stage, tile, instruction, written.operand)},
                  .memory = written.memory,
                  .bytes = *firstOverlap(read.region, written.region),
                  .text = fmt::format(
                      "writes its operand {} over bytes of its operand {} that it may not have read yet",
                      written.operand, read.operand)});
    }
  }
}

} // namespace tilerig
