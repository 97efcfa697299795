// Which tensors lie inside others, of those that could.
#pragma once

#include "compiler/Tiling/TilePlan.h"

namespace tilerig {

// `places` say what each tile keeps of each tensor when none is a view, and then what it keeps with those
// that are returned: of a whole all that is kept of its parts, of a part the same bytes. A view is one only
// where no tile keeps more for it than it would keep of both.
TensorViews layViews(const DeviceNetwork &network, const TensorViews &possible,
                     std::vector<TensorPlace> &places);

// Those of the possible ones for which no more has to be sent than without: tiles that keep different parts
// of a whole cannot be sent the same at once, where they may have kept equal ones of what lies in it.
// `places` say what each tile wants of each tensor itself.
TensorViews viewsWorthTheirTraffic(const DeviceNetwork &network, const TensorViews &possible,
                                   std::vector<TensorPlace> places);

// What is wanted of a tensor is wanted of all that lie in the same bytes, too.
void shareWanted(const DeviceNetwork &network, const TensorViews &views, std::vector<TensorPlace> &places);

// Adds to what is wanted: boxes that cost no more as one are one.
void addWanted(std::vector<Box> &wanted, Box box);

// The tensor that it lies in, and that lies in no other; itself if it is no view.
TensorIndex outermost(const TensorViews &views, TensorIndex tensor);

} // namespace tilerig
