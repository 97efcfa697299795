#include "compiler/Layer/Precision/ApplyPrecision.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/Layer/Precision/DecidePrecision.h"
#include "compiler/Layer/Precision/LayerNames.h"
#include "compiler/Layer/Precision/StatedRanges.h"
#include "compiler/Planning/Quantisation/ReferenceCalibration.h"
#include "compiler/Processes/ScratchFolder.h"
#include "compiler/Processes/StartCommand.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

constexpr uint64_t firstSeed = 1;
// A larger model is calibrated with its large constants in a second file, which is mapped, not loaded.
constexpr uint64_t mostInsideBytes = 1 << 28;

std::vector<ModelInput> inputsOf(const ExportedModel &model, mlir::func::FuncOp function) {
  std::vector<ModelInput> inputs;
  for (const mlir::Value argument : function.getArguments()) {
    const auto shape = graph::shapeOf(argument);
    inputs.push_back({model.tensors.lookup(argument).name, *dtypeOfElement(layer::elementOf(argument)),
                      Shape(shape.begin(), shape.end())});
  }
  return inputs;
}

Result<CalibrationTable> runCalibration(const ExportedModel &model, mlir::func::FuncOp function,
                                        const PrecisionOptions &options, QuantisedType type,
                                        const RangeMethod &method) {
  const std::vector<ModelInput> inputs = inputsOf(model, function);
  std::unique_ptr<Samples> samples;
  if (options.calibration.empty()) {
    samples = seededSamples(inputs, firstSeed, options.madeSamples);
  } else {
    TILERIG_TRY(samples, openSamples(options.calibration, inputs));
  }
  TILERIG_TRY(const ScratchFolder folder, ScratchFolder::create());
  const std::string file = folder.path() + "/layers.onnx";
  TILERIG_CHECK_OK(writeModel(model, file, mostInsideBytes));
  std::vector<std::string> names;
  for (const ModelInput &input : inputs)
    names.push_back(input.name);
  ReferenceCalibration source({programBeside("reference"), file, options.threads}, names, std::move(samples));
  return calibrate(source, requestFor(model, type, method));
}

Result<CalibrationTable> tableFor(const ExportedModel &model, mlir::func::FuncOp function,
                                  const PrecisionOptions &options, QuantisedType type,
                                  const RangeMethod &method, const CalibrationMaker &maker) {
  if (options.calibration.ends_with(".json"))
    return CalibrationTable::read(options.calibration);
  if (!maker)
    return runCalibration(model, function, options, type, method);
  TILERIG_TRY(const std::unique_ptr<CalibrationSource> source, maker(model));
  return calibrate(*source, requestFor(model, type, method));
}

Status checkNames(mlir::func::FuncOp function, const PrecisionPlan &plan) {
  std::vector<std::string> names;
  function.walk([&](mlir::Operation *operation) {
    for (std::string &name : namesOf(operation->getLoc()).all())
      names.push_back(std::move(name));
  });
  return plan.checkNames(names);
}

} // namespace

Result<bool> roundsLast(const PrecisionOptions &options) {
  TILERIG_TRY(const PrecisionPlan plan, PrecisionPlan::read(options.precision));
  TILERIG_TRY(const Precision standard, plan.precisionOf({}));
  return isQuantised(standard) && plan.usesNineBits() && options.allowsNineBits;
}

Result<bool> keepsFloats(const PrecisionOptions &options) {
  TILERIG_TRY(const PrecisionPlan plan, PrecisionPlan::read(options.precision));
  return !plan.needsCalibration();
}

Result<PrecisionNotes> applyPrecision(mlir::ModuleOp module, const PrecisionOptions &options,
                                      const CalibrationMaker &maker) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function)
    return invalidInput(module.getName().value_or("module").str(), "the module has no function 'main'");
  TILERIG_TRY(const PrecisionPlan plan, PrecisionPlan::read(options.precision));
  TILERIG_CHECK_OK(checkNames(function, plan));
  const bool widens = plan.needsCalibration() && plan.usesNineBits() && options.allowsNineBits;
  TILERIG_TRY(const std::optional<Ranges> stated, statedRanges(function));
  if (stated || !plan.needsCalibration()) {
    eraseStatedRanges(function);
    TILERIG_TRY(std::vector<std::string> warnings,
                decidePrecision(function, plan, stated.value_or(Ranges()), widens));
    return PrecisionNotes{"", std::move(warnings)};
  }
  const ConstantStorage data = maker ? ConstantStorage::internal : ConstantStorage::external;
  TILERIG_TRY(const ExportedModel model, exported(module, OnnxForm::exact, data));
  TILERIG_TRY(const Precision standard, plan.precisionOf({}));
  const auto type = standard == Precision::uint8 ? QuantisedType::uint8 : QuantisedType::int8;
  TILERIG_TRY(CalibrationTable table, tableFor(model, function, options, type, plan.method(), maker));
  if (!options.tableFile.empty())
    TILERIG_CHECK_OK(table.save(options.tableFile));
  TILERIG_TRY(const Ranges ranges, rangesOf(model, table));
  TILERIG_TRY(std::vector<std::string> warnings, decidePrecision(function, plan, ranges, widens));
  std::string calibration = fmt::format("calibrated on {} ({})", table.samples, nameOf(plan.method()));
  return PrecisionNotes{std::move(calibration), std::move(warnings), std::move(table)};
}

} // namespace tilerig::compiler
