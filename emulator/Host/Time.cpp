#include "emulator/Host/Time.h"

#include "emulator/Host/Kernels.h"
#include "emulator/Memory/Stored.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <set>

namespace tilerig::emulator {

namespace {

const proto::Tensor *tensorNamed(const Program &program, const std::string &name) {
  const auto &tensors = program.metadata.tensors();
  const auto match = std::ranges::find(tensors, name, &proto::Tensor::name);
  return match == tensors.end() ? nullptr : &*match;
}

template <class Names>
std::vector<Shape> shapesOf(const Program &program, const Names &names) {
  std::vector<Shape> shapes;
  for (const std::string &name : names) {
    const proto::Tensor *tensor = tensorNamed(program, name);
    shapes.push_back(tensor ? shapeOf(*tensor) : Shape{0});
  }
  return shapes;
}

uint64_t bytesOf(const Program &program, const std::string &name) {
  const proto::Tensor *tensor = tensorNamed(program, name);
  return tensor ? countOf(shapeOf(*tensor)) * storedBytes(*tensor) : 0;
}

// Returns the first of the consecutive host stages (one call of the host) to which a host stage belongs.
size_t beginOfCall(const Program &program, size_t stage) {
  const auto isInCall = [&](const Stage &candidate) {
    return candidate.phase == program.stages[stage].phase &&
           std::holds_alternative<proto::HostWork>(candidate.work);
  };
  while (stage > 0 && isInCall(program.stages[stage - 1]))
    --stage;
  return stage;
}

// Names of the tensors that the host stages first .. end - 1 have read or written, and that are therefore on
// the host.
std::set<std::string> atHand(const Program &program, size_t first, size_t end) {
  std::set<std::string> names;
  for (size_t stage = first; stage < end; ++stage) {
    const auto &work = std::get<proto::HostWork>(program.stages[stage].work);
    names.insert(work.inputs().begin(), work.inputs().end());
    names.insert(work.outputs().begin(), work.outputs().end());
  }
  return names;
}

HostWorkload::Numbers numbersOf(const proto::HostWork &work) {
  HostWorkload::Numbers numbers;
  for (const auto &[name, attribute] : work.attributes())
    if (attribute.ints_size() == 1)
      numbers.emplace(name, static_cast<double>(attribute.ints(0)));
    else if (attribute.floats_size() == 1)
      numbers.emplace(name, attribute.floats(0));
  return numbers;
}

constexpr uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace

HostCost costOfHost(const Program &program, size_t stage, std::optional<uint64_t> operations) {
  const auto &work = std::get<proto::HostWork>(program.stages[stage].work);
  const size_t first = beginOfCall(program, stage);
  std::set<std::string> known = atHand(program, first, stage);
  HostCost cost;
  for (const std::string &name : work.inputs())
    if (known.insert(name).second)
      cost.bytesIn += bytesOf(program, name);
  for (const std::string &name : work.outputs())
    cost.bytesOut += bytesOf(program, name);
  const auto inputs = shapesOf(program, work.inputs()), outputs = shapesOf(program, work.outputs());
  cost.operations =
      operations.value_or(operationsOfKernel(work.kernel(), {inputs, outputs, numbersOf(work)}));
  const uint64_t nanoseconds =
      hostNanoseconds({.beginsCall = stage == first, .bytesFetched = cost.bytesIn, .bytesPut = cost.bytesOut},
                      cost.operations);
  cost.cycles = divideUp(nanoseconds * program.machine.clockMegahertz, 1000);
  return cost;
}

bool timeDependsOnValues(const Program &program) {
  return std::ranges::any_of(program.stages, [](const Stage &stage) {
    const auto *host = std::get_if<proto::HostWork>(&stage.work);
    const HostOperator *row = host ? findHostOperator(host->kernel()) : nullptr;
    return row && row->dependsOnValues;
  });
}

} // namespace tilerig::emulator
