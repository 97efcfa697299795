// Pictures of training and of figures, without letters: the tables beside them say what they show.
#pragma once

#include "classifier/Judging/Figures.h"
#include "verify/Evidence/Picture.h"

namespace tilerig::classifier {

// A curve: loss of training, blue, and of checking, orange, by epoch, from zero up to the largest of them.
verify::Picture drawLosses(const std::vector<double> &training, const std::vector<double> &checking);
// A square for each pair of classes, truth down and what was said across, the darker the larger its share of
// the row.
verify::Picture drawConfusion(const Confusion &confusion);

Status writePicture(const std::string &path, const verify::Picture &picture);

} // namespace tilerig::classifier
