// Reports of evaluations as JSON and Markdown.
#pragma once

#include "classifier/Judging/Evaluate.h"

namespace tilerig::classifier {

Json asJson(const Evaluation &evaluation);
// Report on the evaluation of one model. With several models, the report describes the first in full and
// compares all. `command`: command line that makes the report again; `date`: when it was measured.
std::string asMarkdown(const std::vector<Evaluation> &evaluations, const std::string &command,
                       const std::string &date);

} // namespace tilerig::classifier
