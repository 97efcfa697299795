// The pass decide-precision.
#include "compiler/Layer/IR/DecisionAttributes.h"
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Layer/Precision/ApplyPrecision.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Remarks.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_DECIDEPRECISION
#include "compiler/Passes/Passes.h.inc"

namespace {

struct DecidePrecisionPass : impl::DecidePrecisionBase<DecidePrecisionPass> {
  using DecidePrecisionBase::DecidePrecisionBase;
  DecidePrecisionPass(const PrecisionOptions &options, CalibrationMaker maker, PrecisionNotes *notes)
      : DecidePrecisionBase({options.precision, options.calibration}), chosen(options),
        maker(std::move(maker)), notes(notes) {}

  void runOnOperation() override {
    PrecisionOptions options = chosen;
    options.precision = precision;
    options.calibration = calibration;
    auto told = applyPrecision(getOperation(), options, maker);
    if (!told) {
      emitError(getOperation().getLoc(), told.error());
      return signalPassFailure();
    }
    reportPrecisions();
    for (const std::string &warning : told->warnings)
      mlir::emitWarning(getOperation().getLoc(), warning);
    told->warnings.clear();
    if (notes)
      *notes = *std::move(told);
  }

  // Emits a remark with the precision of each layer: a missed remark, with the reason, if the precision is
  // not that of the plan.
  void reportPrecisions() {
    getOperation().walk([](mlir::Operation *layer) {
      const auto decision = layer->getAttrOfType<mlir::StringAttr>(precisionAttribute);
      if (!decision)
        return;
      const auto [name, reason] = decision.getValue().split(": ");
      const auto report = reason.empty() ? mlir::remark::analysis : mlir::remark::missed;
      report(layer->getLoc(), remarkOf(getArgumentName(), name))
          << mlir::remark::add("{0} is computed in {1}", kindOf(layer), decision.getValue());
    });
  }

  // The options of the caller. Options that are also options of this pass have the pass's values.
  PrecisionOptions chosen;
  CalibrationMaker maker;
  PrecisionNotes *notes = nullptr;
};

} // namespace

std::unique_ptr<mlir::Pass> createDecidePrecision(const PrecisionOptions &options, CalibrationMaker maker,
                                                  PrecisionNotes *notes) {
  return std::make_unique<DecidePrecisionPass>(options, std::move(maker), notes);
}

} // namespace tilerig::compiler
