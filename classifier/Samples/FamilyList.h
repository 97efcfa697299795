// Lists of the network families; each is defined in its own source file.
#pragma once

#include "classifier/Samples/Networks.h"

#include <vector>

namespace tilerig::verify {

std::vector<Family> imageFamilies();    // defined in Images.cpp
std::vector<Family> sequenceFamilies(); // defined in Sequences.cpp
std::vector<Family> randomFamilies();   // defined in RandomLayers.cpp
std::vector<Family> blockFamilies();    // defined in Blocks.cpp
std::vector<Family> zooFamilies();      // defined in WholeNetworks.cpp

} // namespace tilerig::verify
