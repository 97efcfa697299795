#include "compiler/Planning/Strategy/Hints.h"

#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

constexpr std::string_view known[] = {"split_io",   "dupl_wb",      "split_wb",   "split_k",
                                      "wb_pin_ocm", "DIRECTCONV",   "FLATTEN_MM", "FLATTEN_MM_OVERLAP",
                                      "LAMM",       "SAMM1",        "SAMM2",      "tiles",
                                      "parts",      "fusion_block", "host",       "accelerator"};

bool asks(const StrategyLayer &layer, std::string_view hint) {
  return std::ranges::find(layer.hints, hint) != layer.hints.end();
}

// Reads the fields "tiles", "parts" and "fusion_block" of a strategy file, each only if the layer has the
// hint of the same name. Exception: if a layer has neither the hint "tiles" nor "parts", but another hint
// about its split, both fields are read.
Status readNumbers(const StrategyLayer &layer, const std::string &place, Hints &hints) {
  const bool isNamed = asks(layer, "tiles") || asks(layer, "parts");
  if (asks(layer, "tiles") && !layer.tiles)
    return invalidInput(place, "the hint 'tiles' needs the field 'tiles', but it is missing");
  if (asks(layer, "parts") && layer.parts.empty())
    return invalidInput(place, "the hint 'parts' needs the field 'parts', but it is missing or empty");
  if (asks(layer, "fusion_block") && !layer.fusionBlock)
    return invalidInput(place, "the hint 'fusion_block' needs the field 'fusion_block', but it is missing");
  if (asks(layer, "fusion_block"))
    hints.fusionBlock = layer.fusionBlock;
  if (layer.hints.empty())
    return success();
  const auto asksForMore = std::ranges::any_of(layer.hints, [](const std::string &hint) {
    return hint != "fusion_block" && hint != "host" && hint != "accelerator";
  });
  if (asks(layer, "tiles") || (asksForMore && !isNamed))
    hints.tiles = layer.tiles;
  if (asks(layer, "parts") || (asksForMore && !isNamed))
    hints.parts = layer.parts, hints.sizes = layer.sizes;
  return success();
}

} // namespace

Result<Hints> hintsOf(const StrategyLayer &layer) {
  Hints hints;
  const auto place = fmt::format("layer {} ('{}')", layer.id, layer.lastOnnxOp);
  for (const std::string &hint : layer.hints) {
    if (std::ranges::find(known, hint) == std::end(known))
      return invalidInput(place, fmt::format("unknown hint '{}'", hint),
                          fmt::format("the hints are {}", fmt::join(known, ", ")));
    if (hint == "split_io")
      hints.cutsImage = true;
    if (hint == "split_k")
      hints.splitsDepth = true;
    if (hint == "wb_pin_ocm")
      hints.pinsWeights = true;
    const bool isHost = hint == "host";
    if (isHost || hint == "accelerator") {
      if (hints.onHost && *hints.onHost != isHost)
        return invalidInput(place, "the hints 'host' and 'accelerator' exclude each other");
      hints.onHost = isHost;
    }
    const bool isSplit = hint == "split_wb";
    if (isSplit || hint == "dupl_wb") {
      if (hints.cutsWeights && *hints.cutsWeights != isSplit)
        return invalidInput(place, "the hints 'split_wb' and 'dupl_wb' exclude each other");
      hints.cutsWeights = isSplit;
    }
    for (const auto &[name, mapping] :
         {std::pair{"LAMM", Mapping::lamm}, {"SAMM1", Mapping::samm1}, {"SAMM2", Mapping::samm2}})
      if (hint == name) {
        if (hints.mapping && *hints.mapping != mapping)
          return invalidInput(place, "the hints LAMM, SAMM1 and SAMM2 exclude each other");
        hints.mapping = mapping;
      }
    for (const auto &[name, flattening] : {std::pair{"DIRECTCONV", Flattening::none},
                                           {"FLATTEN_MM", Flattening::whole},
                                           {"FLATTEN_MM_OVERLAP", Flattening::overlapped}})
      if (hint == name) {
        if (hints.flattening && *hints.flattening != flattening)
          return invalidInput(place,
                              "the hints DIRECTCONV, FLATTEN_MM and FLATTEN_MM_OVERLAP exclude each other");
        hints.flattening = flattening;
      }
  }
  TILERIG_CHECK_OK(readNumbers(layer, place, hints));
  return hints;
}

} // namespace tilerig::compiler
