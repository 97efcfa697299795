// Lists of the network families; each is defined in its own source file.
#pragma once

#include "verify/Samples/Networks.h"

#include <vector>

namespace tilerig::verify {

std::vector<Family> imageFamilies();    // Images.cpp
std::vector<Family> sequenceFamilies(); // Sequences.cpp
std::vector<Family> randomFamilies();   // RandomLayers.cpp
std::vector<Family> zooFamilies();      // WholeNetworks.cpp

} // namespace tilerig::verify
