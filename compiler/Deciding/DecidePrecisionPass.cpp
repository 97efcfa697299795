#include "compiler/Deciding/ApplyPrecision.h"
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
    if (const auto said = applyPrecision(getOperation(), options); !said) {
      getOperation().emitError(said.error().message());
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace tilerig::compiler
