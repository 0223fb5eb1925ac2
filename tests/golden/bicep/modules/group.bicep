targetScope = 'subscription'

param name string

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: name
  location: deployment().location
}

output name string = group.name
