// The pass quantise-edges.
#include "compiler/Layer/Precision/QuantiseEdges.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Passes/Passes.h"

#include <fmt/core.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_QUANTISEEDGES
#include "compiler/Passes/Passes.h.inc"

namespace {

std::string textOf(const std::optional<QuantisedType> &type) {
  return !type ? "" : *type == QuantisedType::int8 ? "int8" : "uint8";
}

Result<std::optional<QuantisedType>> typeIn(const std::string &text, const char *option) {
  for (const QuantisedType type : {QuantisedType::int8, QuantisedType::uint8})
    if (text == textOf(type))
      return std::optional(type);
  if (text.empty())
    return std::optional<QuantisedType>();
  return usageError(fmt::format("quantise-edges{{{}}}", option),
                    fmt::format("there is no quantised type '{}'", text), "write int8 or uint8");
}

struct QuantiseEdgesPass : impl::QuantiseEdgesBase<QuantiseEdgesPass> {
  using QuantiseEdgesBase::QuantiseEdgesBase;
  QuantiseEdgesPass(const QuantisedEdges &edges, std::string model)
      : QuantiseEdgesBase({textOf(edges.inputs), textOf(edges.outputs)}), model(std::move(model)) {}

  void runOnOperation() override {
    if (const Status done = run(); !done) {
      emitError(getOperation().getLoc(), done.error());
      signalPassFailure();
    }
  }

  Status run() {
    QuantisedEdges edges;
    TILERIG_TRY(edges.inputs, typeIn(inputs, "inputs"));
    TILERIG_TRY(edges.outputs, typeIn(outputs, "outputs"));
    const Status done = quantiseEdges(getOperation(), edges);
    return done || model.empty() ? done : Status(done.error().within(model));
  }

  std::string model;
};

} // namespace

std::unique_ptr<mlir::Pass> createQuantiseEdges(const QuantisedEdges &edges, std::string model) {
  return std::make_unique<QuantiseEdgesPass>(edges, std::move(model));
}

} // namespace tilerig::compiler
