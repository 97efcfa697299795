// Folds normalisations into the layers before them.
#pragma once

#include "models/Builder/Network.h"

namespace tilerig::models {

enum class Folding { scaffolds, all };
// Layers that are followed by a folded normalisation get its scale into their weights and its shift as a
// bias.
void foldNorms(Network &network, Folding folding);

} // namespace tilerig::models
