// Plots of training and evaluation. They contain no text; the tables beside the plots explain them.
#pragma once

#include "classifier/Judging/Figures.h"
#include "verify/Evidence/Picture.h"

namespace tilerig::classifier {

// Loss curves by epoch, training blue and validation orange, from zero to the largest value.
verify::Picture drawLosses(const std::vector<double> &training, const std::vector<double> &checking);
// Confusion matrix with a row for each true class and a column for each predicted class; a darker square
// means a larger share of its row.
verify::Picture drawConfusion(const Confusion &confusion);

Status writePicture(const std::string &path, const verify::Picture &picture);

} // namespace tilerig::classifier
