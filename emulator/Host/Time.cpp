#include "emulator/Host/Time.h"

#include "emulator/Host/Kernels.h"
#include "emulator/Memory/Stored.h"
#include "isa/Timing/Host.h"

#include <algorithm>

namespace tilerig {

namespace {

const proto::Tensor *tensorNamed(const Program &program, const std::string &name) {
  const auto &tensors = program.metadata.tensors();
  const auto found = std::ranges::find(tensors, name, &proto::Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

template <class Names>
std::vector<Shape> shapesOf(const Program &program, const Names &names, uint64_t &bytes) {
  std::vector<Shape> shapes;
  for (const std::string &name : names) {
    const proto::Tensor *tensor = tensorNamed(program, name);
    shapes.push_back(tensor ? shapeOf(*tensor) : Shape{0});
    bytes += tensor ? countOf(shapes.back()) * sizeBytes(storedTypeOf(*tensor)) : 0;
  }
  return shapes;
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

HostCost costOfHost(const Program &program, const proto::HostWork &work, std::optional<uint64_t> operations) {
  HostCost cost;
  const std::vector<Shape> inputs = shapesOf(program, work.inputs(), cost.bytesIn);
  const std::vector<Shape> outputs = shapesOf(program, work.outputs(), cost.bytesOut);
  if (const HostOperator *kernel = findHostOperator(work.kernel()))
    cost.operations = operations.value_or(kernel->operations({inputs, outputs, numbersOf(work)}));
  const uint64_t nanoseconds = hostNanoseconds(cost.bytesIn + cost.bytesOut, cost.operations);
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

} // namespace tilerig
