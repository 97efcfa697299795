// Makes a quantised model of a float one, for tests of whoever reads such models:
//
//   tilerig-quantise MODEL.onnx -o QUANTISED.onnx [--form qdq|qlinear|dynamic] [--activations uint8|int8]
//                    [--weight-bits 8] [--samples 4]
//
// Ranges are those of runs of the reference on that many sets of random inputs. Exit code: 0 written, 2
// usage, 3 the model is not good or not supported.
#include "models/Quantisation/Quantise.h"
#include "isa/Support/File.h"
#include "isa/Tools/Choice.h"
#include "models/Zoo.h"

#include <fmt/core.h>

using namespace tilerig;
using namespace tilerig::models;

namespace {

struct Request {
  std::string model, output;
  unsigned samples = 4;
  QuantiseOptions options;
};

Status write(const Request &request) {
  TRY(const std::string bytes, readText(request.model));
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    return invalidInput(request.model, "is not an ONNX model");
  reference::Threads threads;
  TRY(const Observations observations, observe(model, request.samples, threads));
  TRY(const onnx::ModelProto quantised, quantise(model, observations, request.options));
  return writeNetwork(request.output, quantised);
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  CLI::App app("A quantised model of a float one");
  app.add_option("MODEL", request.model, "float model (.onnx)")->required();
  app.add_option("-o,--output", request.output, "quantised model to write (.onnx)")->required();
  addChoice<QuantisedForm>(
      app, "--form", request.options.form,
      {{"qdq", QuantisedForm::qdq}, {"qlinear", QuantisedForm::qlinear}, {"dynamic", QuantisedForm::dynamic}},
      "how it states that it is quantised");
  addChoice<DType>(app, "--activations", request.options.activations,
                   {{"uint8", DType::u8}, {"int8", DType::i8}}, "what they become");
  app.add_option("--weight-bits", request.options.weightBits, "of weights")->check(CLI::Range(2, 8));
  app.add_option("--samples", request.samples, "sets of random inputs that ranges are measured on")
      ->check(CLI::Range(1, 1000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (const Status status = write(request); !status) {
    fmt::print(stderr, "{}\n", status.error().message());
    return static_cast<int>(exitCodeOf(status.error().kind));
  }
  return 0;
}
