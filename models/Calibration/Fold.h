// Folds batch normalisations into the layers before them.
#pragma once

#include "models/Builder/Network.h"

namespace tilerig::models {

enum class Folding { scaffolds, all };
// Folds all normalisations, or only the scaffolds, which exist just for the calibration. The scale of a
// folded normalisation is multiplied into the weights of the preceding layer, and its shift becomes the
// layer's bias.
void foldNorms(Network &network, Folding folding);

} // namespace tilerig::models
