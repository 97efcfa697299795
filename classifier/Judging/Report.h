// Reports of evaluations as JSON and Markdown.
#pragma once

#include "classifier/Judging/Evaluate.h"

namespace tilerig::classifier {

Json asJson(const Evaluation &evaluation);
// Report on the evaluation of models. It describes the first model in full, and compares all if there are
// several. `command` is the command line that makes the report again, `date` says when it was measured.
std::string asMarkdown(const std::vector<Evaluation> &evaluations, const std::string &command,
                       const std::string &date);

} // namespace tilerig::classifier
