// The pass decide-precision.
#include "compiler/Layer/Precision/ApplyPrecision.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Passes/Passes.h"

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
    if (notes)
      *notes = *std::move(told);
    else
      for (const std::string &warning : told->warnings)
        getOperation().emitWarning(warning);
  }

  PrecisionOptions chosen; // for all but the options of the pass
  CalibrationMaker maker;
  PrecisionNotes *notes = nullptr;
};

} // namespace

std::unique_ptr<mlir::Pass> createDecidePrecision(const PrecisionOptions &options, CalibrationMaker maker,
                                                  PrecisionNotes *notes) {
  return std::make_unique<DecidePrecisionPass>(options, std::move(maker), notes);
}

} // namespace tilerig::compiler
