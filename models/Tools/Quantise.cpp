// `tilerig quantise`: quantises a float model in the forms that other tools write. Ranges are observed in
// runs of the reference on random inputs. The written model contains its weights, even if the original keeps
// them in external files.
#include "models/Quantisation/Quantise.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/Json.h"
#include "models/Quantisation/ReadModel.h"
#include "models/Zoo.h"

#include <filesystem>
#include <fmt/core.h>

using namespace tilerig;
using namespace tilerig::models;

namespace {

struct Request {
  std::string model, output;
  unsigned samples = 4;
  QuantiseOptions options;
};

Status checkOutput(const Request &request, const std::set<std::string> &files) {
  std::error_code differs;
  for (const std::string &file : files)
    if (std::filesystem::equivalent(request.output, file, differs))
      return usageError("--output " + request.output, "the output file is part of the input model",
                        "choose another output file");
  return success();
}

Status write(const Request &request) {
  TILERIG_TRY(const WholeModel whole, readWholeModel(request.model));
  TILERIG_CHECK_OK(checkOutput(request, whole.files));
  reference::Threads threads;
  TILERIG_TRY(const Observations observations, observe(whole.model, request.samples, threads));
  TILERIG_TRY(const onnx::ModelProto quantised, quantise(whole.model, observations, request.options));
  return writeNetwork(request.output, quantised);
}

// Refuses options that have no effect with --form dynamic, in which the model measures its ranges itself.
Status refuseIdleOfDynamic(const CommandOptions &line, const Request &request) {
  const bool isDynamic = request.options.form == QuantisedForm::dynamic;
  const std::string remedy = "omit either this option or --form dynamic";
  return refuseIdle(line, {{"--samples", isDynamic, "the dynamic form needs no ranges", remedy},
                           {"--activations", isDynamic, "the dynamic form supports only uint8", remedy}});
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  CommandLine line(command("quantise"),
                   "tilerig quantise model.onnx -o quantised.onnx\n"
                   "tilerig quantise model.onnx -o quantised.onnx --form qlinear --activations int8");
  CommandOptions &options = line.options();
  options.addOption("MODEL", request.model, "float model (.onnx)").required();
  options.addOption("-o,--output", request.output, "quantised model to write (.onnx)").required();
  addChoice<QuantisedForm>(
      options, "--form", request.options.form,
      {{"qdq", QuantisedForm::qdq}, {"qlinear", QuantisedForm::qlinear}, {"dynamic", QuantisedForm::dynamic}},
      "qdq: QuantizeLinear and DequantizeLinear around float operators; qlinear: operators of integers "
      "(QLinearConv, QLinearMatMul); dynamic: activations are quantised while the model runs");
  addChoice<DType>(options, "--activations", request.options.activations,
                   {{"uint8", DType::u8}, {"int8", DType::i8}}, "type of quantised activations");
  options.addOption("--weight-bits", request.options.weightBits, "number of bits of a quantised weight")
      .range(2, 8)
      .showDefault();
  options.addOption("--samples", request.samples, "number of random inputs on which ranges are measured")
      .range(1, 1000)
      .showDefault();
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    TILERIG_CHECK_OK(refuseIdleOfDynamic(options, request));
    TILERIG_CHECK_OK(write(request));
    if (line.json())
      fmt::print("{}\n",
                 nlohmann::ordered_json{{"model", request.output}, {"samples", request.samples}}.dump(2));
    return ExitCode::done;
  });
}
