#include "compiler/Reports/Layers/Listing.h"

#include "compiler/Layer/IR/Types.h"
#include "isa/Base/Support/Printable.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

class Text {
public:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts &&...parts) {
    text += printable(fmt::format(format, std::forward<Parts>(parts)...)) + '\n';
  }
  std::string take() { return std::move(text); }

private:
  std::string text;
};

// Writes a line about a tensor, such as "Weight: float16, [outC, inC, H, W]=[64, 1, 3, 3]", and a second line
// with its scale, if it has one.
void tensorLines(const std::string &title, const TensorCard &tensor, Text &to) {
  const mlir::Type element = layer::elementOf(tensor.value);
  to.line("{}: {}, {}{}[{}]", title, elementName(element), tensor.legend, tensor.legend.empty() ? "" : "=",
          fmt::join(tensor.shape, ", "));
  if (!tensor.from.empty())
    to.line("From: {}", tensor.from);
  if (const auto scaling = scalingOf(element))
    to.line("Quantised: {}", describe(*scaling));
}

void attributeLine(const CardAttribute &attribute, Text &to) {
  const std::string legend = attribute.legend.empty() ? "" : attribute.legend + "=";
  if (const auto *numbers = std::get_if<std::vector<int64_t>>(&attribute.value)) {
    const std::string list = fmt::format("{}", fmt::join(*numbers, ", "));
    // The listing prints the value of the attribute "Padding" without brackets, unlike other lists.
    to.line("{}: {}{}", attribute.name, legend, attribute.name == "Padding" ? list : "[" + list + "]");
  } else if (const auto *number = std::get_if<double>(&attribute.value)) {
    to.line("{}: {}{}", attribute.name, legend, *number);
  } else {
    to.line("{}: {}{}", attribute.name, legend, std::get<std::string>(attribute.value));
  }
}

void block(const Card &card, Text &to) {
  to.line("Layer {}: {}", card.id, card.kind);
  size_t inputs = 0;
  for (const TensorCard &input : card.inputs) {
    const bool isCounted = input.role == "Input" || input.role == "Constant" || input.role == "Addend";
    tensorLines(isCounted ? fmt::format("{} [{}]", input.role, ++inputs) : input.role, input, to);
  }
  for (const CardAttribute &attribute : card.attributes)
    attributeLine(attribute, to);
  if (!card.activation.empty())
    to.line("Activation: {}", card.activation);
  for (const TensorCard &output : card.outputs)
    tensorLines(output.role, output, to);
  to.line("# of MACs: {}", card.macs);
  to.line("# of Operations: {}", 2 * card.macs); // multiplications and additions
  to.line("# of Parameters: {}", card.parameters);
  const bool isHost = placeOf(card.layer) == LayerPlace::host;
  const std::string where(tierOf(card.layer));
  to.line("Where: {}", isHost || card.layer->hasAttr(placementAttribute)
                           ? where + ", as " + reasonOfPlace(card.layer)
                           : where);
  to.line("Nodes: {}", fmt::join(card.nodes, ", "));
}

struct RegionSummary {
  LayerPlace place = LayerPlace::accelerator;
  size_t first = 0, last = 0, layers = 0;
  uint64_t macs = 0, bytes = 0, nanoseconds = 0;
};

// Summarises each region, a group of consecutive layers that run together on the accelerator or on the host.
// The layers are sorted by region, so the layers of a region are neighbours.
std::vector<RegionSummary> regionsOf(const std::vector<Card> &cards) {
  std::vector<RegionSummary> regions;
  for (const Card &card : cards) {
    const LayerPlace place = placeOf(card.layer);
    if (regions.empty() || regions.back().place != place)
      regions.push_back({place, card.id});
    RegionSummary &region = regions.back();
    region.last = card.id;
    ++region.layers;
    region.macs += card.macs;
    region.bytes += card.cost.bytesIn + card.cost.bytesOut;
    region.nanoseconds += card.cost.nanoseconds;
  }
  return regions;
}

} // namespace

std::string listing(const std::vector<Card> &cards) {
  Text text;
  for (const Card &card : cards) {
    if (card.id > 1)
      text.line("");
    block(card, text);
  }
  return text.take();
}

std::string partitionReport(const std::vector<Card> &cards) {
  Text text;
  size_t number = 0;
  for (const RegionSummary &region : regionsOf(cards)) {
    const bool isHost = region.place == LayerPlace::host;
    text.line("Region {}: {}, layers {} to {}, {} multiply-accumulates, {} {}, {} {:.1f} us", number++,
              isHost ? "host" : "accelerator", region.first, region.last, region.macs, region.bytes,
              isHost ? "bytes over the host link" : "bytes in and out of layers",
              isHost ? "about" : "at least", static_cast<double>(region.nanoseconds) / 1000);
    for (const Card &card : cards)
      if (card.id >= region.first && card.id <= region.last)
        // For a layer on the accelerator, a reason is printed only if the layer has the placement attribute.
        if (isHost || card.layer->hasAttr(placementAttribute))
          text.line("  layer {}, {} ({}): {}", card.id, card.kind, fmt::join(card.nodes, ", "),
                    reasonOfPlace(card.layer));
  }
  return text.take();
}

} // namespace tilerig::compiler
