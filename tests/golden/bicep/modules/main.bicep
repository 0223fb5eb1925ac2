targetScope = 'subscription'

param names array
param deploys bool = true

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' existing = {
  name: 'vault'
  scope: resourceGroup('shared')
}

resource target 'Microsoft.Resources/resourceGroups@2024-03-01' existing = {
  name: 'apps'
}

module group 'group.bicep' = {
  name: 'group'
  params: { name: 'web' }
}

@description('The plans.')
module plans 'inner.bicep' = [for (name, i) in names: if (deploys) {
  scope: resourceGroup(group.name)
  params: {
    secret: deploys ? vault.getSecret('a') : 'none'
    names: [for part in range(0, i): '${name}${part}']
  }
}]

module plain 'template.json' = {
  name: 'plain-${deployment().name}'
  scope: target
  params: { value: plans[0].outputs.planId }
}

module secret 'inner.bicep' = {
  name: 'secret'
  scope: target
  params: { secret: vault.getSecret('b', 'v1') }
  dependsOn: [plans]
}

var chosen = deploys ? plain.outputs.text : 'none'

module described 'template.json' = {
  scope: target
  params: { value: chosen }
}

@description('''The first text.
  It has two lines,
    of which one is indented.''')
output first string = plans[0].?outputs.planId ?? ''
output text string = plain.outputs.text
