#include "compiler/Tiling/LayViews.h"

namespace tilerig {

namespace {

class ViewLayer {
public:
  ViewLayer(const DeviceNetwork &network, const TensorViews &possible, std::vector<TensorPlace> &places,
            bool weighsTraffic)
      : network(network), possible(possible), places(places), weighsTraffic(weighsTraffic),
        makers(network.tensors.size()), views(network.tensors.size()) {
    for (const TensorPlace &place : places)
      wanted.push_back(place.kept);
    for (const NetworkStep &step : network.steps)
      if (const Work *work = std::get_if<Work>(&step))
        makers[work->result] = work;
  }

  TensorViews lay() {
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (possible[tensor] && places[tensor].inOcm && places[possible[tensor]->of].inOcm)
        tryView(tensor);
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (views[tensor])
        for (size_t tile = 0; tile < places[tensor].kept.size(); ++tile)
          places[tensor].kept[tile] = shown(tensor, tile);
    return std::move(views);
  }

private:
  const std::vector<int64_t> &shapeOf(TensorIndex tensor) const { return network.tensors[tensor].shape; }

  Box inOutermost(TensorIndex tensor, Box part) const {
    for (; views[tensor]; tensor = views[tensor]->of)
      part = boxInWhole(*views[tensor], part, shapeOf(tensor), shapeOf(views[tensor]->of));
    return part;
  }
  // What is kept of the outermost, as indices of the tensor.
  Box shown(TensorIndex tensor, size_t tile) const {
    if (!views[tensor])
      return places[tensor].kept[tile];
    const TensorIndex of = views[tensor]->of;
    return boxInView(*views[tensor], shown(of, tile), shapeOf(tensor), shapeOf(of));
  }

  void tryView(TensorIndex tensor) {
    const uint64_t sentBefore =
        weighsTraffic ? sent(tensor) + sent(outermost(views, possible[tensor]->of)) : UINT64_MAX;
    views[tensor] = possible[tensor];
    const TensorIndex whole = outermost(views, tensor);
    const std::vector<Box> before = places[whole].kept;
    bool isWorthIt = true;
    for (size_t tile = 0; tile < before.size(); ++tile) {
      const Box &wanted = places[tensor].kept[tile];
      Box &kept = places[whole].kept[tile];
      kept = hull(kept, inOutermost(tensor, wanted));
      isWorthIt &= kept.elements() <= before[tile].elements() + wanted.elements();
    }
    if (isWorthIt && showsAll(whole) && (!weighsTraffic || sent(whole) <= sentBefore))
      return;
    views[tensor].reset();
    places[whole].kept = before;
  }

  // Elements that owners send of an outermost tensor, and of what lies in it: once to all that keep the same.
  uint64_t sent(TensorIndex whole) const {
    std::vector<Box> kept;
    for (const Box &box : places[whole].kept)
      if (std::ranges::find(kept, box) == kept.end())
        kept.push_back(box);
    uint64_t elements = 0;
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (makers[tensor] && outermost(views, tensor) == whole)
        for (const Box &owned : places[tensor].owned)
          for (const Box &part : partsMade(*makers[tensor], owned, network, views))
            for (const Box &box : kept)
              elements += intersection(inOutermost(tensor, part), box).elements();
    return elements;
  }

  // Whether every tensor that lies in it is where it is wanted.
  bool showsAll(TensorIndex whole) const {
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (views[tensor] && outermost(views, tensor) == whole)
        for (size_t tile = 0; tile < wanted[tensor].size(); ++tile)
          if (!shown(tensor, tile).contains(wanted[tensor][tile]))
            return false;
    return true;
  }

  const DeviceNetwork &network;
  const TensorViews &possible;
  std::vector<TensorPlace> &places;     // of those that are no views, with what is kept of their views
  std::vector<std::vector<Box>> wanted; // by tensor and tile
  const bool weighsTraffic;
  std::vector<const Work *> makers; // by tensor
  TensorViews views;
};

} // namespace

TensorViews layViews(const DeviceNetwork &network, const TensorViews &possible,
                     std::vector<TensorPlace> &places) {
  return ViewLayer(network, possible, places, false).lay();
}

TensorViews viewsWorthTheirTraffic(const DeviceNetwork &network, const TensorViews &possible,
                                   std::vector<TensorPlace> places) {
  return ViewLayer(network, possible, places, true).lay();
}

TensorIndex outermost(const TensorViews &views, TensorIndex tensor) {
  while (views[tensor])
    tensor = views[tensor]->of;
  return tensor;
}

} // namespace tilerig
