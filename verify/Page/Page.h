// The report as one page that works from disk: style, script and data are inside, nothing is fetched.
//
// page.html, page.css and page.js are put into the program when it is built (embed.cmake).
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

std::string asPage(const std::vector<Json> &records);

} // namespace tilerig::verify
