// Reports of evaluations as JSON and Markdown.
#pragma once

#include "classifier/Judging/Evaluate.h"

namespace tilerig::classifier {

Json asJson(const Evaluation &evaluation);
// Report on one model in full, or a comparison of several with the first in full. `command`: command line
// that makes the report again.
std::string asMarkdown(const std::vector<Evaluation> &evaluations, const std::string &command);

} // namespace tilerig::classifier
