// A test tool that quantises a float model, for tests of programs that read quantised models:
//
//   tilerig-quantise MODEL.onnx -o QUANTISED.onnx [--form qdq|qlinear|dynamic] [--activations uint8|int8]
//                    [--weight-bits 8] [--samples 4]
//
// Ranges are observed in runs of the reference on `--samples` sets of random inputs. The written model
// contains its weights, even if the original keeps them in external files. Exit code: 0 written, 2 usage, 3
// the model is not good or not supported.
#include "models/Quantisation/Quantise.h"
#include "isa/Support/Printable.h"
#include "isa/Tools/Choice.h"
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
      return usageError("--output " + request.output, "this file is part of the input model",
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

} // namespace

int main(int argc, char **argv) {
  Request request;
  CLI::App app("Quantises a float model");
  app.add_option("MODEL", request.model, "float model (.onnx)")->required();
  app.add_option("-o,--output", request.output, "quantised model to write (.onnx)")->required();
  addChoice<QuantisedForm>(
      app, "--form", request.options.form,
      {{"qdq", QuantisedForm::qdq}, {"qlinear", QuantisedForm::qlinear}, {"dynamic", QuantisedForm::dynamic}},
      "form of the quantised model");
  addChoice<DType>(app, "--activations", request.options.activations,
                   {{"uint8", DType::u8}, {"int8", DType::i8}}, "type of quantised activations");
  app.add_option("--weight-bits", request.options.weightBits, "number of bits of a quantised weight")
      ->check(CLI::Range(2, 8));
  app.add_option("--samples", request.samples, "number of random inputs on which ranges are measured")
      ->check(CLI::Range(1, 1000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (const Status status = write(request); !status) {
    fmt::print(stderr, "{}\n", printable(status.error().message()));
    return static_cast<int>(exitCodeOf(status.error().kind));
  }
  return 0;
}
