// The texts of which the report page consists, embedded from the files of this folder.
#pragma once

#include <string_view>

namespace tilerig::verify {

std::string_view pageFrame();  // page.html, with placeholders for the style, the scripts and the data
std::string_view pageStyle();  // page.css
std::string_view pageScript(); // page.js

} // namespace tilerig::verify
