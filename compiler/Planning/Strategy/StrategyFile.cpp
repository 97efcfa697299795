#include "compiler/Planning/Strategy/StrategyFile.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

constexpr std::string_view fileType = "ExtStrategy";
Result<int64_t> integer(const JsonPlace &value) { return value.wholeNumber<int64_t>(); }
Result<std::string> text(const JsonPlace &value) { return value.text(); }

// Reads a list that may be missing from the file. The function `read` converts each element.
template <class T>
Result<std::vector<T>> listOf(const JsonPlace &list, Result<T> (*read)(const JsonPlace &)) {
  std::vector<T> all;
  if (!list)
    return all;
  TILERIG_CHECK_OK(list.expectList());
  for (size_t i = 0; i < list.value->size(); ++i) {
    TILERIG_TRY(T element, read(list.at(i)));
    all.push_back(std::move(element));
  }
  return all;
}

// Reads how an axis is divided: either the number of equal parts, or a list with the size of each part.
struct Parts {
  int64_t count = 0;
  std::vector<int64_t> sizes;
};

Result<Parts> partsOf(const JsonPlace &axis) {
  if (!axis.value->is_array()) {
    TILERIG_TRY(const int64_t count, integer(axis));
    return Parts{count, {}};
  }
  TILERIG_TRY(std::vector<int64_t> sizes, listOf<int64_t>(axis, integer));
  if (sizes.empty())
    return axis.refuse("the list of sizes is empty",
                       "give the size of each part, or a number of equal parts");
  return Parts{static_cast<int64_t>(sizes.size()), std::move(sizes)};
}

Status readParts(const JsonPlace &list, StrategyLayer &layer) {
  TILERIG_TRY(std::vector<Parts> axes, listOf<Parts>(list, partsOf));
  const bool hasSizes = std::ranges::any_of(axes, [](const Parts &parts) { return !parts.sizes.empty(); });
  for (Parts &parts : axes) {
    layer.parts.push_back(parts.count);
    if (hasSizes)
      layer.sizes.push_back(std::move(parts.sizes));
  }
  return success();
}

Json printParts(const StrategyLayer &layer) {
  Json all = Json::array();
  for (size_t axis = 0; axis < layer.parts.size(); ++axis)
    if (layer.sizes.empty() || layer.sizes[axis].empty())
      all.push_back(layer.parts[axis]);
    else
      all.push_back(layer.sizes[axis]);
  return all;
}

Result<StrategyLayer> readLayer(const JsonPlace &object) {
  TILERIG_CHECK_OK(
      object.expectObject({"id", "op", "to_layer_ids", "first_onnx_op", "last_onnx_op", "strategy_applied",
                           "external_strategy_hints", "tiles", "parts", "fusion_block"}));
  StrategyLayer layer;
  TILERIG_TRY(layer.id, integer(object.at("id")));
  TILERIG_TRY(layer.op, object.at("op").text());
  TILERIG_TRY(layer.firstOnnxOp, object.at("first_onnx_op").text());
  TILERIG_TRY(layer.lastOnnxOp, object.at("last_onnx_op").text());
  TILERIG_TRY(layer.toLayerIds, listOf<int64_t>(object.at("to_layer_ids"), integer));
  TILERIG_TRY(layer.applied, listOf<std::string>(object.at("strategy_applied"), text));
  TILERIG_TRY(layer.hints, listOf<std::string>(object.at("external_strategy_hints"), text));
  TILERIG_CHECK_OK(readParts(object.at("parts"), layer));
  if (const JsonPlace tiles = object.at("tiles")) {
    TILERIG_TRY(layer.tiles, integer(tiles));
  }
  if (const JsonPlace block = object.at("fusion_block")) {
    TILERIG_TRY(layer.fusionBlock, integer(block));
  }
  return layer;
}

Result<StrategyFile> readFile(std::string_view content) {
  TILERIG_TRY(const Json json, parseStrictJson(content, "", limitsOfOwnFiles));
  const JsonPlace document{&json, ""};
  TILERIG_CHECK_OK(document.expectFileType(fileType));
  TILERIG_CHECK_OK(document.expectObject({"file_type", "layers"}));
  const JsonPlace layers = document.at("layers");
  TILERIG_CHECK_OK(layers.expectList());
  StrategyFile file;
  TILERIG_TRY(file.layers, listOf<StrategyLayer>(layers, readLayer));
  return file;
}

} // namespace

Result<StrategyFile> parseStrategy(std::string_view content) {
  return advised(readFile(content), "tilerig compile --strategy-to writes a valid strategy file");
}

Result<StrategyFile> readStrategy(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  Result<StrategyFile> file = parseStrategy(text);
  return file ? std::move(file) : file.error().within(path);
}

std::string printStrategy(const StrategyFile &file) {
  Json layers = Json::array();
  for (const StrategyLayer &strategyLayer : file.layers) {
    Json layer = {{"id", strategyLayer.id},
                  {"op", strategyLayer.op},
                  {"to_layer_ids", strategyLayer.toLayerIds},
                  {"first_onnx_op", strategyLayer.firstOnnxOp},
                  {"last_onnx_op", strategyLayer.lastOnnxOp},
                  {"strategy_applied", strategyLayer.applied},
                  {"external_strategy_hints", strategyLayer.hints}};
    if (strategyLayer.tiles)
      layer["tiles"] = *strategyLayer.tiles;
    if (!strategyLayer.parts.empty())
      layer["parts"] = printParts(strategyLayer);
    if (strategyLayer.fusionBlock)
      layer["fusion_block"] = *strategyLayer.fusionBlock;
    layers.push_back(std::move(layer));
  }
  return Json{{"file_type", fileType}, {"layers", std::move(layers)}}.dump(1, ' ', false,
                                                                           Json::error_handler_t::replace) +
         "\n";
}

} // namespace tilerig::compiler
