#include "compiler/Pipelines/TooLargeLayers.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

bool TooLargeLayers::add(const DeviceNetwork &network, const PipelineOptions &pipeline) {
  const ProgramOptions &program = pipeline.tiles.program;
  if (!pipeline.only.empty() || !program.strategy.layers.empty() || program.pinsWeights)
    return false;
  const auto found = findTooLargeLayer(network, pipeline.tiles.machine, program);
  if (!found)
    return false;
  const NetworkLayer &layer = network.layers[found->layer];
  const size_t before = names.size();
  for (const std::string &node : layer.onnxNodes)
    // an operation that is only a part of a node has the name NODE#PART
    for (const std::string &name : {node, node.substr(0, node.rfind('#'))})
      if (!llvm::is_contained(names, name))
        names.push_back(name);
  if (names.size() == before)
    return false;
  texts.push_back(fmt::format("{}: {}, so its nodes run on the host or in the framework: {}",
                              found->error.place, found->error.what, fmt::join(layer.onnxNodes, ", ")));
  return true;
}

} // namespace tilerig::compiler
