// SPDX-License-Identifier: Apache-2.0
// What lies in assets/.

#ifndef SMP_TOOLS_PAGE_ASSETS_H
#define SMP_TOOLS_PAGE_ASSETS_H

namespace smp::page {

extern const char kStyle[], kScript[];

} // namespace smp::page

#endif // SMP_TOOLS_PAGE_ASSETS_H
