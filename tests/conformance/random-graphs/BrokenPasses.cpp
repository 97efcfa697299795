#include "tests/conformance/random-graphs/BrokenPasses.h"

#include "compiler/Passes/Passes.h"

namespace tilerig::meaning {
using namespace compiler;

namespace {

template <class Pass>
struct Broken : mlir::PassWrapper<Pass, mlir::OperationPass<mlir::func::FuncOp>> {
  llvm::StringRef getArgument() const override { return Pass::flag; }
  llvm::StringRef getDescription() const override { return "wrong on purpose"; }
};

// Removes every ReLU as if it were the identity.
struct DropRelus : Broken<DropRelus> {
  static constexpr llvm::StringLiteral flag = "broken-drop-relus";
  void runOnOperation() override {
    getOperation().walk([](graph::ReluOp relu) {
      relu.getOutput().replaceAllUsesWith(relu.getInput());
      relu.erase();
    });
  }
};

// Sets the epsilon of every batch normalisation to ONNX's default.
struct ForgetEpsilon : Broken<ForgetEpsilon> {
  static constexpr llvm::StringLiteral flag = "broken-forget-epsilon";
  void runOnOperation() override {
    getOperation().walk([](graph::BatchNormOp norm) { norm.setEpsilon(llvm::APFloat(1e-5f)); });
  }
};

// Swaps the padding before and after each axis of convolutions.
struct SwapPads : Broken<SwapPads> {
  static constexpr llvm::StringLiteral flag = "broken-swap-pads";
  void runOnOperation() override {
    getOperation().walk([](graph::ConvOp conv) {
      llvm::SmallVector<int64_t> pads(conv.getPads());
      std::rotate(pads.begin(), pads.begin() + static_cast<ptrdiff_t>(pads.size() / 2), pads.end());
      conv.setPads(pads);
    });
  }
};

} // namespace

std::vector<PassName> registerBrokenPasses() {
  mlir::PassRegistration<DropRelus>();
  mlir::PassRegistration<ForgetEpsilon>();
  mlir::PassRegistration<SwapPads>();
  return {{DropRelus::flag.str(), "func.func"},
          {ForgetEpsilon::flag.str(), "func.func"},
          {SwapPads::flag.str(), "func.func"}};
}

} // namespace tilerig::meaning
