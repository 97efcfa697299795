#include "compiler/Pipelines/TooLargeLayers.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

// The name of the node that an operation was made of. If a node becomes several operations, the name of each is
// NODE#PART. Nodes without a name are called OPERATOR#NUMBER, and those in a step of a loop LOOP#STEP/NODE.
std::string nodeOf(const std::string &operation) {
  const size_t mark = operation.rfind('#');
  const bool isPart = mark != std::string::npos && operation.find('/', mark) == std::string::npos &&
                      operation.find_first_not_of("0123456789", mark + 1) != std::string::npos;
  return isPart ? operation.substr(0, mark) : operation;
}

void addNew(const std::string &name, std::vector<std::string> &names) {
  if (!llvm::is_contained(names, name))
    names.push_back(name);
}

} // namespace

bool TooLargeLayers::add(const DeviceNetwork &network, const PipelineOptions &pipeline) {
  if (!pipeline.only.empty() || pipeline.tiles.program.ocmBytes)
    return false;
  // A layer that is too large only because of the strategy or of pinned weights stays on the accelerator.
  ProgramOptions program = pipeline.tiles.program;
  program.strategy = {};
  program.pinsWeights = false;
  const auto found = findTooLargeLayer(network, pipeline.tiles.machine, program);
  if (!found)
    return false;
  const size_t before = names.size();
  std::vector<std::string> nodes;
  for (const uint32_t layer : found->alike)
    for (const std::string &operation : network.layers[layer].onnxNodes) {
      addNew(nodeOf(operation), nodes);
      addNew(operation, names);
      addNew(nodeOf(operation), names);
    }
  if (names.size() == before)
    return false;
  constexpr size_t mostNamed = 8;
  const size_t rest = nodes.size() - std::min(nodes.size(), mostNamed);
  nodes.resize(nodes.size() - rest);
  texts.push_back(fmt::format("{}: {}, so these nodes run on the host or in the framework: {}{}",
                              found->error.place, found->error.what, fmt::join(nodes, ", "),
                              rest ? fmt::format(" and {} more", rest) : ""));
  return true;
}

Error TooLargeLayers::explained(Error error) const {
  // The error may be the same as before, if a node could not be kept off the accelerator.
  const bool isNew = std::ranges::none_of(
      texts, [&](const std::string &text) { return text.starts_with(error.place + ": " + error.what); });
  if (!texts.empty() && isNew)
    error.what += fmt::format(" ({})", fmt::join(texts, "; "));
  return error;
}

} // namespace tilerig::compiler
