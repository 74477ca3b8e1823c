// Errors stop at the limit; 0 means all of them.
// RUN: not smp-opt %s --smp-verify-placement=error-limit=1 2>&1 | FileCheck %s
// RUN: not smp-opt %s --smp-verify-placement=error-limit=0 2>&1 | FileCheck %s --check-prefix=ALL

// CHECK: error: 'smp.exp' op has no placement
// CHECK-NOT: error:
// ALL-COUNT-6: has no placement
smp.entry @limit(%x: tensor<4xf32> {smp.name = "x"}) {
  %0 = smp.exp %x : tensor<4xf32>
  %1 = smp.exp %x : tensor<4xf32>
  %2 = smp.exp %x : tensor<4xf32>
  %3 = smp.exp %x : tensor<4xf32>
  %4 = smp.exp %x : tensor<4xf32>
  %5 = smp.exp %x : tensor<4xf32>
  smp.return
}
