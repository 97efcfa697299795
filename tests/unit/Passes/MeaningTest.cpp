// Runs every function of the lit tests of passes before and after each pass: the results must be the same.
#include "compiler/Export/Export.h"
#include "compiler/Passes/Passes.h"
#include "reference/Model/Load.h"
#include "reference/Tools/Inputs.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig {
using namespace compiler;

namespace {

using reference::NamedTensors;

const std::vector<std::string> passes = {
    "fold-constants",  "remove-no-ops",   "fuse-silu",      "fuse-hard-swish",   "fuse-gelu",
    "fuse-layer-norm", "fuse-group-norm", "fuse-attention", "form-global-pools", "fold-pads",
    "fold-batch-norm", "fold-shifts",     "fold-scales",    "use-channels-last", "sink-transposes"};

mlir::OwningOpRef<mlir::ModuleOp> alone(mlir::func::FuncOp function) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(function.getLoc());
  mlir::func::FuncOp copy = function.clone();
  copy.setName("main");
  module->push_back(copy);
  return module;
}

void apply(mlir::ModuleOp module, const std::string &pipeline) {
  mlir::PassManager manager(module.getContext());
  ASSERT_TRUE(mlir::succeeded(mlir::parsePassPipeline(pipeline, manager)));
  ASSERT_TRUE(mlir::succeeded(manager.run(module)));
}

// Results of the module. If `inputs` is empty, random inputs are made first.
Result<NamedTensors> outputs(mlir::ModuleOp module, NamedTensors &inputs) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "meaning.onnx").string();
  TILERIG_CHECK_OK(exportModel(module, path));
  TILERIG_TRY(reference::Model model, reference::loadModel(path));
  if (inputs.empty()) {
    TILERIG_TRY(inputs, reference::makeInputs(model, {}, 1));
  }
  reference::Threads threads(1);
  TILERIG_TRY(const auto interpreter, reference::Interpreter::create(std::move(model), {}, threads));
  return interpreter.run(inputs);
}

double farthest(std::span<const double> a, std::span<const double> b) {
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))))
      distance = std::max(distance, std::isfinite(a[i] - b[i]) ? std::abs(a[i] - b[i]) : INFINITY);
  return distance;
}

void expectSame(const Tensor &a, const Tensor &b, double limit) {
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(a.dtype(), b.dtype());
  if (a.dtype() != DType::f64) {
    EXPECT_TRUE(identical(a, b));
    return;
  }
  double most = 0;
  for (double value : a.as<double>())
    most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
  EXPECT_LE(farthest(a.as<double>(), b.as<double>()), limit * most);
}

class Meaning : public testing::TestWithParam<std::string> {
protected:
  static void SetUpTestSuite() {
    registerPasses();
    mlir::registerTransformsPasses();
  }

  void check(mlir::func::FuncOp function) {
    mlir::OwningOpRef<mlir::ModuleOp> before = alone(function);
    apply(*before, "widen-floats");
    NamedTensors inputs;
    const auto expected = outputs(*before, inputs);
    // Functions named "fault..." (an index out of bounds, a remainder by zero) fail before the pass and must
    // fail after it.
    const bool isRefused = function.getName().starts_with("fault");
    ASSERT_EQ(static_cast<bool>(expected), !isRefused);
    for (std::string pipeline : passes)
      checkAfter(*before, "func.func(" + pipeline + ")", inputs, expected);
    checkAfter(*before, "simplify-graph", inputs, expected);
  }

  void checkAfter(mlir::ModuleOp before, const std::string &pipeline, NamedTensors &inputs,
                  const Result<NamedTensors> &expected) {
    SCOPED_TRACE(pipeline);
    mlir::OwningOpRef<mlir::ModuleOp> after = before.clone();
    apply(*after, pipeline);
    const auto got = outputs(*after, inputs);
    ASSERT_EQ(static_cast<bool>(got), static_cast<bool>(expected));
    if (!got)
      return;
    ASSERT_EQ(got->size(), expected->size());
    // In the tests of these two passes, the square root of two or 1/6 is rounded to float, hence the wider
    // tolerance.
    const double limit = GetParam() == "fuse-gelu" || GetParam() == "fuse-hard-swish" ? 1e-7 : 1e-9;
    for (const auto &[name, tensor] : *expected)
      expectSame(tensor, got->at(name), limit);
  }
};

TEST_P(Meaning, IsKept) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  const std::string path = std::string(TILERIG_TEXTS) + "/" + GetParam() + ".mlir";
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  ASSERT_TRUE(module) << path;
  int functions = 0;
  for (auto function : module->getOps<mlir::func::FuncOp>()) {
    SCOPED_TRACE(function.getName().str());
    check(function);
    ++functions;
  }
  EXPECT_GT(functions, 0);
}

std::vector<std::string> texts() {
  std::vector<std::string> names = passes;
  names.push_back("simplify-graph");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Texts, Meaning, testing::ValuesIn(texts()), [](const auto &info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

} // namespace

} // namespace tilerig
