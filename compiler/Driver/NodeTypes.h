// Which operators the nodes of a model are: what layers say they were made of.
#pragma once

#include "compiler/Import/OnnxFile.h"
#include "compiler/Listing/Metadata.h"
#include "compiler/Tiling/DeviceNetwork.h"

namespace tilerig {

// Unnamed nodes have the names that the import gives them.
NodeTypes nodeTypesOf(const OnnxFile &file);
// Of the nodes of each layer, as far as they are known: texts of levels do not say them.
void nameOperators(const NodeTypes &types, DeviceNetwork &network);

} // namespace tilerig
