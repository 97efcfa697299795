// Chooses tensor views: decides which of the tensors that could share the buffer of another tensor (Views.h)
// do so.
#pragma once

#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// Chooses views and updates `places`. On entry, TensorPlace::kept says what each tile keeps of each tensor if
// there are no views. On return, the outermost tensor keeps everything that was kept of its views. A view is
// chosen only if no tile then keeps more elements than it would keep of the two tensors apart.
TensorViews layViews(const DeviceNetwork &network, const TensorViews &possible,
                     std::vector<TensorPlace> &places);

// Chooses from the possible views those that do not increase the traffic between tiles. (One multicast serves
// several tiles only if they keep the same box. With a view they may keep different boxes.) On entry,
// TensorPlace::wanted has what each tile reads of each tensor itself.
TensorViews viewsWorthTheirTraffic(const DeviceNetwork &network, const TensorViews &possible,
                                   std::vector<TensorPlace> places);

// Extends TensorPlace::wanted (the boxes that each tile reads of a tensor): each tensor also gets the wanted
// boxes of all other tensors that share its bytes.
void shareWanted(const DeviceNetwork &network, const TensorViews &views, std::vector<TensorPlace> &places);

// Adds `box` to `wanted`, the boxes that a tile reads of a tensor. Where the bounding box of two boxes has no
// more elements than the two together, the bounding box replaces both.
void addWanted(std::vector<Box> &wanted, Box box);

// The outermost tensor in whose buffer `tensor` lies; `tensor` itself if it has a buffer of its own.
TensorIndex outermost(const TensorViews &views, TensorIndex tensor);

} // namespace tilerig::compiler
