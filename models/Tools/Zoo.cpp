// `tilerig zoo`: writes one of the built-in networks as ONNX, or lists them.
#include "models/Zoo.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Nearest.h"

#include <fmt/core.h>
#include <iostream>

namespace tilerig::models {
namespace {

struct Request {
  std::string name, output;
  bool list = false, json = false;
  unsigned threads = 0;
  ZooOptions options;
};

struct Input {
  std::string name, type;
  Shape shape;
};

std::vector<Input> inputsOf(const onnx::ModelProto &model) {
  std::vector<Input> inputs;
  for (const onnx::ValueInfoProto &info : model.graph().input()) {
    const auto &tensor = info.type().tensor_type();
    Input input{info.name(), tensor.elem_type() == onnx::TensorProto::FLOAT ? "float32" : "int64", {}};
    for (const auto &dim : tensor.shape().dim())
      input.shape.push_back(dim.dim_value());
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Json asJson(const CatalogueEntry &entry, const Network &network) {
  Json inputs = Json::array();
  for (const Input &input : inputsOf(network.model))
    inputs.push_back({{"name", input.name}, {"type", input.type}, {"shape", input.shape}});
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"parameters", countParameters(network)},
          {"macs", network.macs},
          {"inputs", std::move(inputs)}};
}

std::string asLine(const CatalogueEntry &entry, const Network &network) {
  Input input = inputsOf(network.model).front();
  return fmt::format("{:<14}{:>8.2f} M{:>9.3f} G  {:<18} {}\n", entry.name,
                     static_cast<double>(countParameters(network)) / 1e6,
                     static_cast<double>(network.macs) / 1e9, showShape(input.shape), entry.summary);
}

Result<ExitCode> list(const Request &request) {
  Json all = Json::array();
  std::string text = fmt::format("{:<14}{:>10}{:>11}  {}\n", "name", "parameters", "MACs", "input");
  for (const CatalogueEntry &entry : catalogue()) {
    TILERIG_TRY(Network network, describeNetwork(entry, {}));
    all.push_back(asJson(entry, network));
    text += asLine(entry, network);
  }
  std::cout << (request.json ? all.dump(2) + "\n" : text);
  return ExitCode::done;
}

Error unknown(const std::string &name) {
  std::vector<std::string_view> names;
  for (const CatalogueEntry &entry : catalogue())
    names.push_back(entry.name);
  return usageError("", fmt::format("the zoo has no network '{}'", name), suggestion(name, names));
}

Result<ExitCode> write(const Request &request) {
  if (request.name.empty() || request.output.empty())
    return usageError("", "name a network and, with -o, a file to write",
                      "tilerig zoo --list shows the networks");
  const CatalogueEntry *entry = findNetwork(request.name);
  if (!entry)
    return unknown(request.name);
  TILERIG_TRY(Network described, describeNetwork(*entry, request.options.variant));
  reference::Threads threads(request.threads);
  TILERIG_TRY(onnx::ModelProto model, makeNetwork(*entry, request.options, threads));
  TILERIG_CHECK_OK(writeNetwork(request.output, model));
  if (request.json) {
    Json json = asJson(*entry, described);
    json["file"] = request.output;
    json["opset"] = request.options.variant.opset;
    json["seed"] = request.options.seed;
    json["nodes"] = model.graph().node_size();
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    std::cout << fmt::format("{}: {}, {} nodes, {:.2f} M parameters, {:.3f} G MACs\n", request.output,
                             entry->name, model.graph().node_size(),
                             static_cast<double>(countParameters(described)) / 1e6,
                             static_cast<double>(described.macs) / 1e9);
  }
  return ExitCode::done;
}

// Refuses arguments that concern a single network if --list is given.
Status refuseWithList(const std::vector<GivenOption> &options) {
  for (const GivenOption &option : options)
    if (option.name != "--list" && option.name != "--json")
      return usageError(option.name, "this option has no effect together with --list",
                        "leave --list out, or this option");
  return success();
}

} // namespace
} // namespace tilerig::models

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("zoo"), "tilerig zoo --list\n"
                                   "tilerig zoo resnet50 -o resnet50.onnx --fold-batch-norm");
  models::Request request;
  auto &variant = request.options.variant;
  auto &options = line.options();
  options.addOption("NAME", request.name, "name of a network; tilerig zoo --list shows the names");
  options.addOption("-o,--output", request.output, "ONNX file to write the network to (.onnx)");
  options.addOption("--opset", variant.opset, "version of the ONNX operator set").showDefault();
  options.addOption("--batch", variant.batch, "batch size").showDefault();
  options
      .addOption("--image-size", variant.imageSize, "height and width of images; 0: the network's usual size")
      .showDefault();
  options.addOption("--seed", request.options.seed, "seed of the random weights")
      .range(int64_t{0}, INT64_MAX)
      .showDefault();
  options.addFlag(
      "--fold-batch-norm,!--keep-batch-norm", request.options.foldNorms,
      "fold batch normalisations into the layers before them, or keep them as nodes (the default)");
  options.addOption("--threads", request.threads, "number of host threads; 0: all processors")
      .range(0, 1024)
      .showDefault();
  options.addFlag("--list", request.list,
                  "list the networks with their parameters, MACs and inputs, instead of writing one");
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    request.json = line.json();
    if (request.list)
      TILERIG_CHECK_OK(models::refuseWithList(options.givenOptions()));
    return request.list ? models::list(request) : models::write(request);
  });
}
