// Evaluations for machines and for people.
#pragma once

#include "classifier/Judging/Evaluate.h"

namespace tilerig::classifier {

Json asJson(const Evaluation &evaluation);
// One model in full, or several side by side and the first in full.
// `command`: the line that makes it again.
std::string asMarkdown(const std::vector<Evaluation> &evaluations, const std::string &command);

} // namespace tilerig::classifier
