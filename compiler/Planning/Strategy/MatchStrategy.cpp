#include "compiler/Planning/Strategy/MatchStrategy.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tilerig::compiler {

StrategyTarget strategyTarget(const std::string &kind, std::vector<std::string> onnxNodes) {
  StrategyTarget target{.op = kind, .onnxNodes = std::move(onnxNodes)};
  for (char &letter : target.op)
    letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  if (!target.onnxNodes.empty()) {
    target.first = target.onnxNodes.front();
    target.last = target.onnxNodes.back();
  }
  return target;
}

namespace {

using Indices = std::vector<size_t>;

// The name without a suffix like "__1", which exporters give to copies of a node; nullopt if the name has
// none.
std::optional<std::string> withoutCopyNumber(const std::string &name) {
  const size_t at = name.find_last_not_of("0123456789");
  if (at == name.npos || at + 1 == name.size() || at < 2 || name.compare(at - 1, 2, "__") != 0)
    return std::nullopt;
  return name.substr(0, at - 1);
}

// The name without the suffix "_transpose", which tools add for a transpose fused into the node; nullopt if
// the name does not have it.
std::optional<std::string> withoutTranspose(const std::string &name) {
  constexpr std::string_view suffix = "_transpose";
  if (!name.ends_with(suffix) || name.size() == suffix.size())
    return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

class Matcher {
public:
  explicit Matcher(const std::vector<StrategyTarget> &layers) : layers(layers) {
    for (const StrategyTarget &layer : layers)
      nodes.insert(layer.onnxNodes.begin(), layer.onnxNodes.end());
  }

  Result<size_t> match(const StrategyLayer &fileLayer) const {
    if (isOurs(fileLayer))
      return static_cast<size_t>(fileLayer.id - 1);
    const std::string place =
        fmt::format("strategy file, layer {} ('{}')", fileLayer.id, fileLayer.lastOnnxOp);
    TILERIG_TRY(const Indices first, layersWith(fileLayer.firstOnnxOp, place));
    TILERIG_TRY(const Indices last, layersWith(fileLayer.lastOnnxOp, place));
    Indices common, either;
    std::ranges::set_intersection(first, last, std::back_inserter(common));
    std::ranges::set_union(first, last, std::back_inserter(either));
    if (common.size() == 1)
      return common[0];
    const Indices &all = common.empty() ? either : common;
    if (const Indices same = withOp(all, fileLayer.op); same.size() == 1)
      return same[0];
    return invalidInput(
        place,
        fmt::format(
            "the nodes '{}' and '{}' belong to several layers of this network ({}), and op '{}' does not "
            "select one of these layers",
            fileLayer.firstOnnxOp, fileLayer.lastOnnxOp, listOf(all), fileLayer.op),
        "copy id, op, first_onnx_op and last_onnx_op from a file that --strategy-to writes");
  }

private:
  bool isOurs(const StrategyLayer &fileLayer) const {
    if (fileLayer.id < 1 || fileLayer.id > static_cast<int64_t>(layers.size()))
      return false;
    const StrategyTarget &layer = layers[static_cast<size_t>(fileLayer.id - 1)];
    return fileLayer.op == layer.op && fileLayer.firstOnnxOp == layer.first &&
           fileLayer.lastOnnxOp == layer.last;
  }

  // Indices of the layers made from the ONNX node, in ascending order.
  Result<Indices> layersWith(const std::string &name, const std::string &place) const {
    const std::optional<std::string> node = nodeOf(name);
    if (!node)
      return invalidInput(place,
                          fmt::format("no layer of this network was made from an ONNX node '{}'", name),
                          "use the node names of the model, as --strategy-to writes them");
    Indices all;
    for (size_t i = 0; i < layers.size(); ++i)
      if (std::ranges::find(layers[i].onnxNodes, *node) != layers[i].onnxNodes.end())
        all.push_back(i);
    return all;
  }

  // The model's node with that name or, if there is none, with that name without the suffixes that tools add;
  // nullopt if neither exists.
  std::optional<std::string> nodeOf(std::string name) const {
    for (;;) {
      if (!name.empty() && nodes.contains(name))
        return name;
      std::optional<std::string> shorter = withoutCopyNumber(name);
      if (!shorter)
        shorter = withoutTranspose(name);
      if (!shorter)
        return std::nullopt;
      name = *std::move(shorter);
    }
  }

  Indices withOp(const Indices &all, const std::string &op) const {
    Indices same;
    for (const size_t i : all)
      if (layers[i].op == op)
        same.push_back(i);
    return same;
  }

  std::string listOf(const Indices &all) const {
    std::vector<std::string> texts;
    for (const size_t i : all)
      texts.push_back(fmt::format("layer {} ({})", i + 1, layers[i].op));
    return fmt::format("{}", fmt::join(texts, " and "));
  }

  const std::vector<StrategyTarget> &layers;
  std::set<std::string> nodes;
};

// Merges a field of two layers of the strategy file. `own` is its value in the first layer, `other` its value
// in the second. If only the second layer states the field, the first one gets the value. Returns false if
// both layers state the field, with different values.
template <class T>
bool takes(T &own, const T &other, bool isGiven, bool isOtherGiven) {
  if (isOtherGiven && isGiven && own != other)
    return false;
  if (isOtherGiven)
    own = other;
  return true;
}

// Merges the layer `other` of the strategy file into the file's layer `own`, because the compiler has fused
// the two into one layer.
Status join(StrategyLayer &own, const StrategyLayer &other) {
  for (const std::string &hint : other.hints)
    if (std::ranges::find(own.hints, hint) == own.hints.end())
      own.hints.push_back(hint);
  const bool hasParts = !own.parts.empty(), otherHasParts = !other.parts.empty();
  if (!takes(own.tiles, other.tiles, own.tiles.has_value(), other.tiles.has_value()) ||
      !takes(own.parts, other.parts, hasParts, otherHasParts) ||
      !takes(own.sizes, other.sizes, hasParts, otherHasParts) ||
      !takes(own.fusionBlock, other.fusionBlock, own.fusionBlock.has_value(), other.fusionBlock.has_value()))
    return invalidInput(
        fmt::format("strategy file, layer {} ('{}')", other.id, other.lastOnnxOp),
        fmt::format("this entry and an earlier one both apply to layer {} of this network, but request "
                    "different tiles, parts or fusion blocks",
                    own.id),
        "give tiles, parts and fusion_block in only one of the two entries");
  return success();
}

} // namespace

Result<StrategyFile> matchStrategy(const StrategyFile &file, const std::vector<StrategyTarget> &layers) {
  const Matcher matcher(layers);
  StrategyFile matched;
  std::map<size_t, size_t> places; // for each layer of the network, the index of its layer in matched.layers
  for (const StrategyLayer &fileLayer : file.layers) {
    if (fileLayer.hints.empty())
      continue;
    TILERIG_TRY(const size_t index, matcher.match(fileLayer));
    const auto [place, isNew] = places.try_emplace(index, matched.layers.size());
    if (!isNew) {
      TILERIG_CHECK_OK(join(matched.layers[place->second], fileLayer));
      continue;
    }
    StrategyLayer layer = fileLayer;
    layer.id = static_cast<int64_t>(index) + 1;
    layer.op = layers[index].op;
    layer.firstOnnxOp = layers[index].first;
    layer.lastOnnxOp = layers[index].last;
    matched.layers.push_back(std::move(layer));
  }
  return matched;
}

} // namespace tilerig::compiler
