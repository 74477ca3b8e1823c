// RUN: smp-opt %s "--smp-emit-kernels=target=cuda level=sm_80" --split-input-file --verify-diagnostics

smp.stage @pack(%x: tensor<1x4x4xf32>) -> tensor<128xf32> attributes {partition = 0 : i64} {
  // expected-error @+1 {{is of strategy pack, which target 'cuda' has no kernels for: it packs nothing and keeps no composite whole; form groups of what --smp-decompose leaves}}
  %0 = smp.group pack(%x) : (tensor<1x4x4xf32>) -> tensor<128xf32> {
  ^bb0(%a: tensor<1x4x4xf32>):
    %p = smp.pack %a : (tensor<1x4x4xf32>) -> tensor<128xf32>
    smp.return %p : tensor<128xf32>
  }
  smp.return %0 : tensor<128xf32>
}

// -----

smp.stage @whole(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {partition = 0 : i64} {
  // expected-error @+1 {{is of strategy whole, which target 'cuda' has no kernels for}}
  %0 = smp.group whole(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %p = smp.softmax %a {axis = 1 : i64} : tensor<4x4xf32>
    smp.return %p : tensor<4x4xf32>
  }
  smp.return %0 : tensor<4x4xf32>
}

// -----

smp.stage @long_lines(%x: tensor<1073741825xi8>) -> (tensor<4xi8>, tensor<4xi64>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{sorts lines of 1073741825 elements; a kernel of target 'cuda' sorts 1073741824 at most: split the dimension}}
  %0:2 = smp.group sort(%x) : (tensor<1073741825xi8>) -> (tensor<4xi8>, tensor<4xi64>) {
  ^bb0(%a: tensor<1073741825xi8>):
    %v:2 = smp.top_k %a {axis = 0 : i64, k = 4 : i64, largest = true} : (tensor<1073741825xi8>) -> (tensor<4xi8>, tensor<4xi64>)
    smp.return %v#0, %v#1 : tensor<4xi8>, tensor<4xi64>
  }
  smp.return %0#0, %0#1 : tensor<4xi8>, tensor<4xi64>
}

// -----

smp.stage @huge(%x: tensor<2199023255552xf32>) -> tensor<2199023255552xf32> attributes {partition = 0 : i64} {
  // expected-error @+1 {{makes a tensor of more than 274877906816 elements, which target 'cuda' has no kernels for; divide it into several}}
  %0 = smp.group loop(%x) : (tensor<2199023255552xf32>) -> tensor<2199023255552xf32> {
  ^bb0(%a: tensor<2199023255552xf32>):
    %y = smp.exp %a : tensor<2199023255552xf32>
    smp.return %y : tensor<2199023255552xf32>
  }
  smp.return %0 : tensor<2199023255552xf32>
}

// -----

smp.stage @statistics(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1x10xf64>) attributes {partition = 0 : i64} {
  %0:2 = smp.group loop(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = smp.exp %a : tensor<4xf32>
    // expected-error @+1 {{is in a loop, and target 'cuda' has no kernels for it: it keeps no composite whole}}
    %2 = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %1, %2 : tensor<4xf32>, tensor<1x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<4xf32>, tensor<1x10xf64>
}
