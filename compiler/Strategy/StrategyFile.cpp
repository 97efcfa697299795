#include "compiler/Strategy/StrategyFile.h"

#include "compiler/Precision/JsonText.h"
#include "isa/Base/Support/Advice.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

constexpr std::string_view fileType = "ExtStrategy";
constexpr std::string_view fileFields[] = {"file_type", "layers"};
constexpr std::string_view layerFields[] = {"id",
                                            "op",
                                            "to_layer_ids",
                                            "first_onnx_op",
                                            "last_onnx_op",
                                            "strategy_applied",
                                            "external_strategy_hints",
                                            "tiles",
                                            "parts",
                                            "fusion_block"};

Result<int64_t> integer(const Json &value, const std::string &place) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
    return invalidInput(place, "must be an integer, not " + shown(value));
  return value.get<int64_t>();
}

Result<std::string> text(const Json &value, const std::string &place) {
  if (!value.is_string())
    return invalidInput(place, "must be a string, not " + shown(value));
  return value.get<std::string>();
}

// Reads the list under a key. The function `read` converts each element; its second argument is the place of
// the element, for messages.
template <class T>
Result<std::vector<T>> list(const Json &object, const std::string &place, const char *key,
                            Result<T> (*read)(const Json &, const std::string &)) {
  std::vector<T> all;
  const auto entry = object.find(key);
  if (entry == object.end())
    return all;
  if (!entry->is_array())
    return invalidInput(keyPlace(place, key), "must be a list, not " + shown(*entry));
  for (size_t i = 0; i < entry->size(); ++i) {
    TILERIG_TRY(T element, read((*entry)[i], fmt::format("{}[{}]", keyPlace(place, key), i)));
    all.push_back(std::move(element));
  }
  return all;
}

Result<std::string> name(const Json &object, const std::string &place, const char *key) {
  TILERIG_TRY(const std::string *text, findText(object, place, key));
  if (!text)
    return invalidInput(keyPlace(place, key), "the field is missing");
  return *text;
}

// Reads the field "parts": for each axis a number of equal parts, or a list with the size of each part.
Status readParts(const Json &object, const std::string &place, StrategyLayer &layer) {
  const auto entry = object.find("parts");
  if (entry == object.end())
    return success();
  if (!entry->is_array())
    return invalidInput(keyPlace(place, "parts"), "must be a list, not " + shown(*entry));
  bool hasSizes = false;
  for (size_t axis = 0; axis < entry->size(); ++axis) {
    const std::string here = fmt::format("{}[{}]", keyPlace(place, "parts"), axis);
    const Json &its = (*entry)[axis];
    std::vector<int64_t> sizes;
    if (its.is_array()) {
      if (its.empty())
        return invalidInput(here, "the list of sizes is empty",
                            "give the size of each part, or a number of equal parts");
      for (size_t part = 0; part < its.size(); ++part) {
        TILERIG_TRY(const int64_t size, integer(its[part], fmt::format("{}[{}]", here, part)));
        sizes.push_back(size);
      }
      hasSizes = true;
      layer.parts.push_back(static_cast<int64_t>(sizes.size()));
    } else {
      TILERIG_TRY(const int64_t count, integer(its, here));
      layer.parts.push_back(count);
    }
    layer.sizes.push_back(std::move(sizes));
  }
  if (!hasSizes)
    layer.sizes.clear();
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

Result<StrategyLayer> readLayer(const Json &object, const std::string &place) {
  if (!object.is_object())
    return invalidInput(place, "must be an object, not " + shown(object));
  TILERIG_CHECK_OK(checkKeys(object, place, layerFields));
  StrategyLayer layer;
  if (!object.contains("id"))
    return invalidInput(keyPlace(place, "id"), "the field is missing");
  TILERIG_TRY(layer.id, integer(object["id"], keyPlace(place, "id")));
  TILERIG_TRY(layer.op, name(object, place, "op"));
  TILERIG_TRY(layer.firstOnnxOp, name(object, place, "first_onnx_op"));
  TILERIG_TRY(layer.lastOnnxOp, name(object, place, "last_onnx_op"));
  TILERIG_TRY(layer.toLayerIds, list<int64_t>(object, place, "to_layer_ids", integer));
  TILERIG_TRY(layer.applied, list<std::string>(object, place, "strategy_applied", text));
  TILERIG_TRY(layer.hints, list<std::string>(object, place, "external_strategy_hints", text));
  TILERIG_CHECK_OK(readParts(object, place, layer));
  if (object.contains("tiles")) {
    TILERIG_TRY(layer.tiles, integer(object["tiles"], keyPlace(place, "tiles")));
  }
  if (object.contains("fusion_block")) {
    TILERIG_TRY(layer.fusionBlock, integer(object["fusion_block"], keyPlace(place, "fusion_block")));
  }
  return layer;
}

Result<StrategyFile> readFile(std::string_view content) {
  TILERIG_TRY(const Json json, parseJsonObject(content));
  TILERIG_CHECK_OK(checkKeys(json, "", fileFields));
  TILERIG_TRY(const std::string type, name(json, "", "file_type"));
  if (type != fileType)
    return invalidInput("file_type", fmt::format("is '{}', but a strategy file has '{}'", type, fileType));
  const auto layers = json.find("layers");
  if (layers == json.end() || !layers->is_array())
    return invalidInput("layers", "must be a list of layers");
  StrategyFile file;
  for (size_t i = 0; i < layers->size(); ++i) {
    TILERIG_TRY(StrategyLayer layer, readLayer((*layers)[i], fmt::format("layers[{}]", i)));
    file.layers.push_back(std::move(layer));
  }
  return file;
}

} // namespace

Result<StrategyFile> parseStrategy(std::string_view content) {
  return advised(readFile(content), "tilerig compile --strategy-to writes a valid strategy file");
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
