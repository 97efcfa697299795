#include "compiler/PassCheck/ComparePrograms.h"

#include "compiler/Isa/IR/Programs.h"
#include "compiler/PassCheck/TensorDifference.h"
#include "compiler/Tile/ToIsa/LowerToIsa.h"

#include <algorithm>
#include <limits>

namespace tilerig::compiler {

namespace {

bool haveSameBits(const Tensor &a, const Tensor &b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::ranges::equal(a.bytes(), b.bytes());
}

ProgramDifference differenceIn(const proto::Tensor &tensor, const proto::Layer &layer, const Tensor &before,
                               const Tensor &after) {
  const TensorDifference numbers = differenceOf(before, after);
  ProgramDifference difference{.tensor = tensor.name(), .kind = layer.kind()};
  if (!layer.onnx_nodes().empty())
    difference.node = *layer.onnx_nodes().rbegin();
  difference.maxAbs =
      numbers.hasOtherForm || !numbers.isFinite ? std::numeric_limits<double>::infinity() : numbers.largest;
  (void)difference.values.add("before", before);
  (void)difference.values.add("after", after);
  return difference;
}

} // namespace

Result<Program> programIn(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto programs = copy->getOps<isa::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return invalidInput("the module", "the module does not consist of exactly one isa.program");
  isa::ProgramOp program = *programs.begin();
  tile::lowerToIsa(program);
  return isa::programOf(program);
}

Result<std::optional<ProgramDifference>> comparePrograms(mlir::ModuleOp before, mlir::ModuleOp after,
                                                         ProgramRunner &runner) {
  TILERIG_TRY(const Program right, programIn(before));
  TILERIG_TRY(const TensorMap expected, runner.run(right));
  const auto cannotRun = [](const Error &error) {
    return std::optional(ProgramDifference{.maxAbs = std::numeric_limits<double>::infinity(),
                                           .contradiction = error.message()});
  };
  const auto program = programIn(after);
  if (!program)
    return cannotRun(program.error());
  const auto actual = runner.run(*program);
  if (!actual)
    return cannotRun(actual.error());
  std::vector<const proto::Tensor *> tensors;
  for (const proto::Tensor &tensor : right.metadata.tensors())
    tensors.push_back(&tensor);
  std::ranges::stable_sort(tensors, {}, [](const proto::Tensor *tensor) { return tensor->layer(); });
  for (const proto::Tensor *tensor : tensors) {
    const Tensor *const tensorBefore = expected.find(tensor->name()), *const tensorAfter =
                                                                          actual->find(tensor->name());
    if (!tensorBefore)
      continue;
    if (!tensorAfter)
      return cannotRun(invalidInput(tensor->name(),
                                    "the program after the pass does not keep this tensor of the network"));
    if (!haveSameBits(*tensorBefore, *tensorAfter))
      return std::optional(differenceIn(*tensor, right.metadata.layers(static_cast<int>(tensor->layer())),
                                        *tensorBefore, *tensorAfter));
  }
  return std::optional<ProgramDifference>();
}

} // namespace tilerig::compiler
