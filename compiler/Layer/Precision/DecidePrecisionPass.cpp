#include "compiler/Layer/Precision/ApplyPrecision.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_DECIDEPRECISION
#include "compiler/Passes/Passes.h.inc"

namespace {

struct DecidePrecisionPass : impl::DecidePrecisionBase<DecidePrecisionPass> {
  using DecidePrecisionBase::DecidePrecisionBase;

  void runOnOperation() override {
    PrecisionOptions options;
    options.precision = precision;
    options.calibration = calibration;
    const auto notes = applyPrecision(getOperation(), options);
    if (!notes) {
      getOperation().emitError(notes.error().message());
      return signalPassFailure();
    }
    for (const std::string &warning : notes->warnings)
      getOperation().emitWarning(warning);
  }
};

} // namespace

} // namespace tilerig::compiler
