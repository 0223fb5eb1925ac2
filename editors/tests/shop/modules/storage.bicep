param name string
param location string
param isPublic bool

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  sku: { name: 'Standard_ZRS' }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: 'TLS1_2'
    allowSharedKeyAccess: false
    networkAcls: { defaultAction: 'Deny' }
    allowBlobPublicAccess: isPublic
  }
}
