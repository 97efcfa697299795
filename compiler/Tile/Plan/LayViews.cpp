#include "compiler/Tile/Plan/LayViews.h"

namespace tilerig::compiler {

namespace {

Box boxInOutermost(const DeviceNetwork &network, const TensorViews &views, TensorIndex tensor, Box part) {
  for (; views[tensor]; tensor = views[tensor]->of)
    part = boxInWhole(*views[tensor], part, network.tensors[tensor].shape,
                      network.tensors[views[tensor]->of].shape);
  return part;
}

// Converts the box `part` to indices of the view `tensor`. `part` is a box of the outermost tensor, in whose
// memory the view lies; the result is empty if it is not a box in the view's indices.
Box boxFromOutermost(const DeviceNetwork &network, const TensorViews &views, TensorIndex tensor,
                     const Box &part) {
  if (!views[tensor])
    return part;
  const TensorIndex of = views[tensor]->of;
  return boxInView(*views[tensor], boxFromOutermost(network, views, of, part), network.tensors[tensor].shape,
                   network.tensors[of].shape);
}

// An order of boxes, to find equal ones.
bool isBefore(const Box &a, const Box &b) {
  return std::ranges::lexicographical_compare(a, b, [](const Range &one, const Range &other) {
    return std::pair(one.begin, one.end) < std::pair(other.begin, other.end);
  });
}

class ViewLayer {
public:
  ViewLayer(const DeviceNetwork &network, const TensorViews &possible, std::vector<TensorPlace> &places,
            bool weighsTraffic)
      : network(network), possible(possible), places(places), weighsTraffic(weighsTraffic),
        makers(network.tensors.size()), views(network.tensors.size()), knownSent(network.tensors.size()) {
    for (const TensorPlace &place : places)
      alone.push_back(place.kept);
    for (const NetworkStep &step : network.steps)
      if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step))
        makers[deviceOp->result] = deviceOp;
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

  Box inOutermost(TensorIndex tensor, const Box &part) const {
    return boxInOutermost(network, views, tensor, part);
  }
  // The box of the outermost tensor that a tile has, in indices of the view `tensor`, which lies in that
  // tensor's buffer.
  Box shown(TensorIndex tensor, size_t tile) const {
    return boxFromOutermost(network, views, tensor, places[outermost(views, tensor)].kept[tile]);
  }

  void tryView(TensorIndex tensor) {
    const uint64_t sentBefore =
        weighsTraffic ? sent(tensor) + sentAtPresent(outermost(views, possible[tensor]->of)) : UINT64_MAX;
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
    if (isWorthIt && showsAll(whole)) {
      const uint64_t sentNow = weighsTraffic ? sent(whole) : 0;
      if (sentNow <= sentBefore) {
        knownSent[whole] = sentNow;
        return;
      }
    }
    views[tensor].reset();
    places[whole].kept = before;
  }

  // sent() with the views that are chosen at present; remembered, because many views lie in the same tensor.
  uint64_t sentAtPresent(TensorIndex whole) {
    if (!knownSent[whole])
      knownSent[whole] = sent(whole);
    return *knownSent[whole];
  }
  // Number of elements that tiles send to other tiles, of an outermost tensor (one that is not a view) and of
  // the views inside it. If several tiles want the same box and keep the same box, one multicast serves them
  // all.
  uint64_t sent(TensorIndex whole) const {
    // For each receiving tile, the box that it reads and the box that it has in its buffer.
    std::vector<std::pair<Box, Box>> receivers;
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (places[tensor].inOcm && outermost(views, tensor) == whole)
        for (size_t tile = 0; tile < places[tensor].wanted.size(); ++tile)
          for (const Box &box : places[tensor].wanted[tile])
            receivers.emplace_back(inOutermost(tensor, box), places[whole].kept[tile]);
    std::ranges::sort(receivers, [](const auto &a, const auto &b) {
      return isBefore(a.first, b.first) || (a.first == b.first && isBefore(a.second, b.second));
    });
    const auto repeated = std::ranges::unique(receivers);
    receivers.erase(repeated.begin(), repeated.end());
    uint64_t elements = 0;
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (makers[tensor] && outermost(views, tensor) == whole)
        for (const Box &owned : places[tensor].owned)
          for (const Box &part : partsMade(*makers[tensor], owned, network, views))
            for (const auto &[wanted, kept] : receivers)
              elements += intersection(inOutermost(tensor, part), wanted).elements();
    return elements;
  }

  // Whether every tile has all elements that it needs of each view inside the outermost tensor `whole`: at
  // least those that it would keep if the view were a tensor with memory of its own.
  bool showsAll(TensorIndex whole) const {
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor)
      if (views[tensor] && outermost(views, tensor) == whole)
        for (size_t tile = 0; tile < alone[tensor].size(); ++tile)
          if (!shown(tensor, tile).contains(alone[tensor][tile]))
            return false;
    return true;
  }

  const DeviceNetwork &network;
  const TensorViews &possible;
  // For each tensor, the parts that each tile has. When a view is chosen, the tiles keep its parts as parts
  // of the outermost tensor, so these are updated.
  std::vector<TensorPlace> &places;
  // for each tensor and tile, the box that the tile would keep if there were no views
  std::vector<std::vector<Box>> alone;
  const bool weighsTraffic;
  std::vector<const DeviceOp *> makers; // by tensor
  TensorViews views;
  std::vector<std::optional<uint64_t>> knownSent; // by outermost tensor: sent(), if it is known for `views`
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

namespace {

// Adds `box` to the list `wanted`. First merges it with those boxes of the list for which mayJoin(one box,
// other box, bounding box of both) returns true.
template <class MayJoin>
void addJoined(std::vector<Box> &wanted, Box box, MayJoin mayJoin) {
  if (box.empty())
    return;
  for (bool isAlone = false; !isAlone;) {
    isAlone = true;
    for (size_t i = 0; i < wanted.size() && isAlone; ++i)
      if (const Box both = hull(wanted[i], box); mayJoin(wanted[i], box, both)) {
        box = both;
        wanted.erase(wanted.begin() + static_cast<ptrdiff_t>(i));
        isAlone = false;
      }
  }
  wanted.push_back(box);
}

// Adds `box` to the list `wanted`. Merges it with another box only if the bounding box of the two contains no
// element outside both, so that tiles send only elements that are wanted.
void addExactly(std::vector<Box> &wanted, const Box &box) {
  addJoined(wanted, box, [](const Box &one, const Box &other, const Box &both) {
    return both.elements() == one.elements() + other.elements() - intersection(one, other).elements();
  });
}

} // namespace

void addWanted(std::vector<Box> &wanted, Box box) {
  addJoined(wanted, box, [](const Box &one, const Box &other, const Box &both) {
    return both.elements() <= one.elements() + other.elements();
  });
}

void shareWanted(const DeviceNetwork &network, const TensorViews &views, std::vector<TensorPlace> &places) {
  // For each outermost tensor (one that has a buffer of its own), the list of all tensors that lie in its
  // buffer.
  std::vector<std::vector<TensorIndex>> inside(network.tensors.size());
  for (TensorIndex tensor = 0; tensor < network.tensors.size(); ++tensor)
    if (places[tensor].inOcm)
      inside[outermost(views, tensor)].push_back(tensor);
  std::vector<std::vector<std::vector<Box>>> alone(network.tensors.size());
  for (TensorIndex tensor = 0; tensor < network.tensors.size(); ++tensor)
    alone[tensor] = places[tensor].wanted;
  for (const std::vector<TensorIndex> &group : inside)
    for (const TensorIndex to : group)
      for (const TensorIndex from : group)
        for (size_t tile = 0; tile < alone[from].size() && from != to; ++tile)
          for (const Box &box : alone[from][tile]) {
            // The part of tensor `to` that lies in the same bytes as a box of tensor `from`. Empty only for a
            // reshaped tensor: its elements are computed and sent as elements of the tensor before the
            // reshape.
            const Box its = boxFromOutermost(network, views, to, boxInOutermost(network, views, from, box));
            addExactly(places[to].wanted[tile], intersection(its, Box::whole(network.tensors[to].shape)));
          }
}

TensorIndex outermost(const TensorViews &views, TensorIndex tensor) {
  while (views[tensor])
    tensor = views[tensor]->of;
  return tensor;
}

} // namespace tilerig::compiler
